//! A tick of a game allocates nothing in Rust.

// Clippy of 1.63 complains about thread_local! itself.
#![allow(clippy::declare_interior_mutable_const)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use tern::{tern_type, types, Address, Config, Event, ObjectId, Session, State, UdpSocket};

struct Counting;

thread_local! { // The test harness has a thread of its own, which allocates at any time.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: The allocator of the system does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        System.alloc(layout)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        System.dealloc(memory, layout);
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

tern_type! {
    "body" { objects_max: 2000 }
    struct Body {
        x: f32 { min: -5000.0, max: 5000.0, step: 0.01 },
    }
}

fn tick(session: &mut Session, socket: &mut UdpSocket) -> usize {
    session.receive(socket.receive(), tern::clock_us()).unwrap();
    let is_change = |event: &Event| matches!(event, Event::ObjectChanged(_));
    let changed = session.events().filter(is_change).count();
    socket.send(session.send(tern::clock_us()).unwrap());
    changed
}

#[test]
fn a_tick_allocates_nothing() {
    let (mut here, mut there) = (UdpSocket::new(0).unwrap(), UdpSocket::new(0).unwrap());
    let mut host = Session::new(Config::default(), &types![Body]).unwrap();
    let mut guest = Session::new(Config::default(), &types![Body]).unwrap();
    host.start().unwrap();
    let invite = host.make_invite(&[Address::loopback(here.port())]).unwrap();
    guest.join(&invite, b"").unwrap();
    let end_us = tern::clock_us() + 20_000_000;
    let mut bodies: Vec<Body> = (0..1000).map(|i| Body { x: i as f32 }).collect();
    let ids: Vec<ObjectId<Body>> = bodies.iter().map(|&body| host.create(body).unwrap()).collect();
    while guest.state() != State::Open || guest.ids::<Body>().unwrap().len() < 1000 {
        assert!(tern::clock_us() < end_us, "the guest is not there in 20 seconds");
        tick(&mut host, &mut here);
        tick(&mut guest, &mut there);
    }
    let before = ALLOCATIONS.with(Cell::get);
    let (mut changed, mut sum) = (0, 0.0);
    for _ in 0..100 {
        bodies.iter_mut().for_each(|body| body.x += 1.0);
        host.set_many(&ids, &bodies).unwrap();
        tick(&mut host, &mut here);
        changed += tick(&mut guest, &mut there);
        sum += guest.values::<Body>().unwrap().map(|body| body.x).sum::<f32>();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert_eq!(ALLOCATIONS.with(Cell::get) - before, 0);
    assert!(changed > 0 && sum > 0.0);
}
