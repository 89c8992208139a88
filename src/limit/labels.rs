//! Labels of items in the order of their first appearance.

/// What labels are given to.
pub(super) trait LabelItem: Copy + Eq {
    /// A number that differs for most items.
    fn spread(self) -> u32;
}

impl LabelItem for u32 {
    #[inline(always)]
    fn spread(self) -> u32 {
        self
    }
}

impl LabelItem for [u32; 2] {
    #[inline(always)]
    fn spread(self) -> u32 {
        self[0] ^ self[1].rotate_left(16)
    }
}

/// Items, their indices being their labels, and a table to find them by.
pub(super) struct Labels<T> {
    items: Vec<T>,
    // open addressing: the label, NONE where free; at least twice as many as items
    slots: Vec<u16>,
}

/// No label.
const NONE: u16 = u16::MAX;

/// Slots at first: few nets need more.
const SLOTS: usize = 256;

impl<T: LabelItem> Labels<T> {
    /// No items.
    pub fn new() -> Self {
        Self { items: Vec::with_capacity(SLOTS / 2), slots: vec![NONE; SLOTS] }
    }

    /// The items in the order of their labels.
    pub fn into_items(self) -> Vec<T> {
        self.items
    }

    /// Whether an item has a label.
    #[inline(always)]
    pub fn contains(&self, item: T) -> bool {
        self.slots[self.slot(item)] != NONE
    }

    /// The label of an item, a new one if it has none.
    #[inline(always)]
    pub fn label(&mut self, item: T) -> u16 {
        let slot = self.slot(item);
        if self.slots[slot] == NONE {
            return self.add(slot, item);
        }
        self.slots[slot]
    }

    fn add(&mut self, slot: usize, item: T) -> u16 {
        let label = self.items.len() as u16;
        self.items.push(item);
        self.slots[slot] = label;
        if 2 * self.items.len() > self.slots.len() {
            self.slots = vec![NONE; 2 * self.slots.len()];
            for (label, &item) in (0..).zip(&self.items) {
                let slot = self.slot(item);
                self.slots[slot] = label;
            }
        }
        label
    }

    /// Where an item stands, or would.
    #[inline(always)]
    fn slot(&self, item: T) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = item.spread().wrapping_mul(0x9E37_79B1) as usize >> 12 & mask;
        while self.slots[slot] != NONE && self.items[usize::from(self.slots[slot])] != item {
            slot = (slot + 1) & mask;
        }
        slot
    }
}
