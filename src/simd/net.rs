//! Gathering a cell's control points relative to a local origin.

use crate::basis::MissingLayers;
use crate::numbers::{Lanes, Real};

/// Nets of cells, or of quads, that a kernel evaluates.
#[derive(Clone, Copy, Debug)]
pub struct Nets<'a, N> {
    /// Vertex ids of the control points, net by net.
    pub ids: &'a [N],
    /// For each net the missing layers: of each axis in turn, one bit below and one above.
    pub ends: &'a [MissingLayers],
}

/// Control points of a regular net.
pub(super) const NET: usize = 64;

/// Control point (1, 1, 1), which no boundary cuts off a regular net.
pub(super) const INNER: usize = 21;

/// Gathers a regular net relative to its inner control point, with phantoms where `ends` says that
/// layers are missing.
#[inline(always)]
pub(super) fn gather_regular<T: Real>(
    controls: &[f64],
    net: &[u32],
    m: usize,
    ends: MissingLayers,
    local: &mut [T],
    origin: &mut [T],
) {
    gather(controls, net, m, INNER, local, origin);
    fill_ends(local, m, ends.axis(0));
    fill_ends(local, 4 * m, ends.axis(1));
    fill_ends(local, 16 * m, ends.axis(2));
}

/// Gathers `net` relative to control point `pivot` of it, into `local: [control][m]`.
///
/// `origin: [m]` gets that control point rounded to `T`; the rounding is part of
/// the difference, so origin + local is the control point again.
#[inline(always)]
pub(super) fn gather<T: Real>(
    controls: &[f64],
    net: &[u32],
    m: usize,
    pivot: usize,
    local: &mut [T],
    origin: &mut [T],
) {
    let first = |id: u32| id as usize * m;
    let center = &controls[first(net[pivot])..][..m];
    if m == 3 {
        // The same with a length the compiler knows.
        let rounded = [T::from_f64(center[0]), T::from_f64(center[1]), T::from_f64(center[2])];
        origin[..3].copy_from_slice(&rounded);
        let wide = [rounded[0].to_f64(), rounded[1].to_f64(), rounded[2].to_f64()];
        for (out, &id) in local.chunks_exact_mut(3).zip(net) {
            let point = &controls[first(id)..][..3];
            for c in 0..3 {
                out[c] = T::from_f64(point[c] - wide[c]);
            }
        }
        return;
    }
    for (o, &c) in origin.iter_mut().zip(center) {
        *o = T::from_f64(c);
    }
    for (out, &id) in local.chunks_exact_mut(m).zip(net) {
        let point = &controls[first(id)..][..m];
        for c in 0..m {
            out[c] = T::from_f64(point[c] - origin[c].to_f64());
        }
    }
}

/// Gathers layers of `net: [layer 4][control]` side by side, relative to the first
/// control point of layer 1, which is never missing: `panel: [control][layer 4][m]`.
/// `origin` as for [`gather`].
#[inline(always)]
pub(super) fn gather_layers<T: Real>(
    controls: &[f64],
    net: &[u32],
    m: usize,
    panel: &mut [T],
    origin: &mut [T],
) {
    let count = net.len() / 4;
    let point = |id: u32| &controls[id as usize * m..][..m];
    for (o, &c) in origin.iter_mut().zip(point(net[count])) {
        *o = T::from_f64(c);
    }
    if m == 3 {
        // The same with a length the compiler knows.
        let wide = [origin[0].to_f64(), origin[1].to_f64(), origin[2].to_f64()];
        for (i, row) in panel.as_chunks_mut::<12>().0.iter_mut().enumerate() {
            for layer in 0..4 {
                let point = &controls[net[layer * count + i] as usize * 3..][..3];
                for c in 0..3 {
                    row[3 * layer + c] = T::from_f64(point[c] - wide[c]);
                }
            }
        }
        return;
    }
    for (i, row) in panel.chunks_exact_mut(4 * m).enumerate() {
        for (layer, out) in row.chunks_exact_mut(m).enumerate() {
            for ((out, &x), o) in out.iter_mut().zip(point(net[layer * count + i])).zip(&*origin) {
                *out = T::from_f64(x - o.to_f64());
            }
        }
    }
}

/// Replaces missing end layers of one axis by phantoms, 2 · near − next.
///
/// `local` is `[outer][4][inner]`: the axis has 4 entries of `inner` numbers. `ends`:
/// which of the entries 0 and 3 are missing, as the first axis.
#[inline(always)]
pub fn fill_ends<T: Real>(local: &mut [T], inner: usize, ends: MissingLayers) {
    if ends == MissingLayers::NONE {
        return;
    }
    for line in local.chunks_exact_mut(4 * inner) {
        for i in 0..inner {
            let (near_low, near_high) = (line[inner + i], line[2 * inner + i]);
            if ends.low() {
                line[i] = near_low + near_low - near_high;
            }
            if ends.high() {
                line[3 * inner + i] = near_high + near_high - near_low;
            }
        }
    }
}

/// Room for `count` control points of `m` components, repeated by [`repeat_all`].
pub(super) const fn repeated_len(count: usize, m: usize) -> usize {
    count * repeated_stride(m)
}

/// Numbers from one repeated control point to the next.
pub(super) const fn repeated_stride(m: usize) -> usize {
    super::buffer::padded(m + 2 * crate::numbers::MAX_LANES)
}

/// Repeats each of `count` control points until a vector can be loaded at any of
/// its components: `repeated: [control][stride]`.
///
/// # Safety
/// `local` is readable for `count * m` numbers and `repeated` writable for
/// [`repeated_len`].
#[inline(always)]
pub(super) unsafe fn repeat_all<T: Real, L: Lanes<T>>(
    local: *const T,
    count: usize,
    m: usize,
    repeated: *mut T,
) {
    for control in 0..count {
        // SAFETY: m + COUNT ≤ stride.
        unsafe {
            let (from, to) = (local.add(control * m), repeated.add(control * repeated_stride(m)));
            let mut component = 0;
            // one by one: few components are not worth a call
            for at in 0..m + L::COUNT {
                *to.add(at) = *from.add(component);
                component = if component + 1 == m { 0 } else { component + 1 };
            }
        }
    }
}

/// Room for the origin repeated by [`repeat_origin`].
pub(super) const fn repeated_origin_len(m: usize) -> usize {
    if m == 3 { 3 * crate::numbers::MAX_LANES } else { repeated_stride(m) }
}

/// Repeats an origin of `m` components until a vector can be loaded at any of them;
/// for m = 3, three whole vectors.
///
/// # Safety
/// The SIMD level of `L` is there, `origin` is readable for m numbers (m = 3: for a vector)
/// and `repeated` writable for [`repeated_origin_len`].
#[inline(always)]
pub(super) unsafe fn repeat_origin<T: Real, L: Lanes<T>>(
    origin: *const T,
    m: usize,
    repeated: *mut T,
) {
    // SAFETY: by contract.
    unsafe {
        if m != 3 {
            return repeat_all::<T, L>(origin, 1, m, repeated);
        }
        for (i, vector) in L::load(origin).repeat().into_iter().enumerate() {
            vector.store(repeated.add(i * L::COUNT));
        }
    }
}

/// `rows: [line][row]` from control points, weights of one axis and an expanded row:
/// `rows[line][(sample, c)] = Σₐ weights[a][(sample, c)] · control(line, a)[c]`.
///
/// Control `(line, a)` is number `4 * line + a` of `local` `[control][m]` (m = 3) or of the
/// `repeated` ones (any other m).
///
/// # Safety
/// The SIMD level of `L` is there. `weights` is readable for 4 rows of `row` numbers,
/// whole vectors; `rows` is writable for `lines` of them. For m = 3, `local` is
/// readable one vector past each control's start; else `repeated` is filled.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "plain numbers of one inner loop")]
pub(super) unsafe fn contract_rows<T: Real, L: Lanes<T>>(
    m: usize,
    local: *const T,
    repeated: *const T,
    lines: usize,
    weights: *const T,
    row: usize,
    used: usize,
    rows: *mut T,
) {
    let vectors = used.div_ceil(L::COUNT);
    // SAFETY: by contract; `vectors` whole vectors fit in a padded row.
    unsafe {
        for line in 0..lines {
            let to = rows.add(line * row);
            let control = |a: usize| 4 * line + a;
            if m == 3 {
                let points = [
                    L::load(local.add(3 * control(0))).repeat(),
                    L::load(local.add(3 * control(1))).repeat(),
                    L::load(local.add(3 * control(2))).repeat(),
                    L::load(local.add(3 * control(3))).repeat(),
                ];
                let mut vector = 0;
                while vector < vectors {
                    for phase in 0..3 {
                        if vector + phase < vectors {
                            let at = (vector + phase) * L::COUNT;
                            let weight = |a: usize| weights.add(a * row + at);
                            let mut sum = points[0][phase].mul(L::load(weight(0)));
                            for a in 1..4 {
                                sum = points[a][phase].mul_add(L::load(weight(a)), sum);
                            }
                            sum.store(to.add(at));
                        }
                    }
                    vector += 3;
                }
                continue;
            }
            let mut phase = 0;
            for vector in 0..vectors {
                let at = vector * L::COUNT;
                let weight = |a: usize| weights.add(a * row + at);
                let point = |a: usize| repeated.add(control(a) * repeated_stride(m) + phase);
                let mut sum = L::load(point(0)).mul(L::load(weight(0)));
                for a in 1..4 {
                    sum = L::load(point(a)).mul_add(L::load(weight(a)), sum);
                }
                sum.store(to.add(at));
                phase = (phase + L::COUNT) % m;
            }
        }
    }
}
