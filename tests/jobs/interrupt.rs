//! Jobs that are ended from outside.

use std::panic::catch_unwind;
use std::sync::mpsc::channel;
use std::thread;

use subsolid::backend::{Backend, Cpu};
use subsolid::interrupt::{stoppable, unstoppable};
use subsolid::mesh::shape::Shape;
use subsolid::{Samples, Solid, Want};

/// Other tests would end, too.
#[test]
fn only_the_work_that_is_stopped_ends() {
    let tests = std::env::current_exe().unwrap();
    let own = ["--ignored", "--exact", "interrupt::in_a_process_of_its_own"];
    let done = std::process::Command::new(tests).args(own).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "run by the test above"]
fn in_a_process_of_its_own() {
    let mesh = Shape::Box { cells: [6; 3] }.build().unwrap();
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(8), Want::POSITION).unwrap();
    let evaluate = || Cpu::default().evaluate(&plan, mesh.controls()).unwrap().len();
    let endless = || -> usize {
        loop {
            evaluate();
        }
    };
    let looks = || {
        let mut looks = 0;
        move || {
            looks += 1;
            if looks < 3 { Ok(()) } else { Err(looks) }
        }
    };
    assert_eq!(stoppable(endless, looks()), Err(3));
    assert_eq!(stoppable(|| 7, || Err("not asked")), Ok(7));
    // it waits for other work, which does not notice
    let (begun, begins) = channel();
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            unstoppable(|| {
                begun.send(()).unwrap();
                (0..50).map(|_| evaluate()).sum::<usize>()
            })
        });
        begins.recv().unwrap();
        assert_eq!(stoppable(endless, looks()), Err(3));
        assert_eq!(other.join().unwrap(), 50 * plan.result_count(&(0..216)));
    });
    let panics = catch_unwind(|| stoppable(|| panic!("its own"), || Ok::<_, ()>(())));
    assert_eq!(panics.unwrap_err().downcast_ref(), Some(&"its own"));
}
