//! Two sessions: objects, calls and members.

mod pair;

use pair::{all_types, shout, Asked, Ball, Length, Pair, Shout, Twin};
use std::sync::{Arc, Mutex};
use tern::{
    tern_type, types, Admission, CallFailure, ClaimMode, ClaimRefusal, Config, Event, FieldType,
    ObjectId, PeerId, Quaternion, Reliability, Session, State, UdpSocket,
};

#[test]
fn values_of_all_kinds_arrive() {
    let mut pair = Pair::open();
    let made = Ball {
        x: 1.234,
        spin: Quaternion([0.0, 1.0, 0.0, 0.0]),
        tag: "größe".into(),
        awake: true,
        grid: [1, -2, 3],
        speed: [0.5, 0.25, 1.234],
        target: ObjectId::from_u64(0x1_0000_0005),
        thrower: PeerId(7),
        blob: [0, 255, 1, 2],
        seen: u64::MAX - 1,
    };
    let ball = pair.host.create(made).unwrap();
    pair.until(|pair| pair.guest.exists(ball));
    let seen = pair.guest.get(ball).unwrap();
    assert!((seen.x - 1.23).abs() < 1e-5);
    assert_eq!(seen, Ball { x: seen.x, ..made });
    assert_eq!(seen, pair.host.get(ball).unwrap());
    assert_eq!(&seen.tag, "größe");
    assert_eq!(seen, pair.guest.sample(ball, 0).unwrap());
    assert_eq!(pair.guest.world_digest(), pair.host.world_digest());
    assert_eq!(ball.to_string(), "1.1");
}

mod maths {
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Vec3 {
        pub x: f32,
        pub y: f32,
        pub z: f32,
    }
}

#[derive(Clone, Copy)]
#[repr(transparent)]
struct Place(maths::Vec3);

// SAFETY: A Vec3 has the layout of [f32; 3], and all values are valid.
unsafe impl FieldType for Place {
    const KIND: tern_sys::tern_field_kind = <[f32; 3]>::KIND;
    const COUNT: usize = <[f32; 3]>::COUNT;
}

tern_type! {
    "ship" { objects_max: 10 }
    struct Ship {
        place: Place { min: -100.0, max: 100.0, step: 0.5 },
    }
}

#[test]
fn a_vector_of_a_library_is_a_field() {
    let mut session = Session::new(Config::default(), &types![Ship]).unwrap();
    session.start().unwrap();
    let place = Place(maths::Vec3 { x: 1.1, y: -200.0, z: 3.0 });
    let ship = session.create(Ship { place }).unwrap();
    let rounded = maths::Vec3 { x: 1.0, y: -100.0, z: 3.0 };
    assert_eq!(session.get(ship).unwrap().place.0, rounded);
}

#[test]
fn a_claim_moves_the_object() {
    let mut pair = Pair::open();
    let ball = pair.host.create(Ball::default()).unwrap();
    pair.until(|pair| pair.guest.exists(ball));
    assert!(!pair.guest.may_set(ball));
    pair.guest.claim(ball).unwrap();
    assert!(pair.guest.is_claiming(ball));
    let previous = pair.wait(|_, event| match event {
        Event::OwnerChanged(change) if change.object == ball => Some(change.previous),
        _ => None,
    });
    assert_eq!(previous, pair.host.local_peer());
    pair.until(|pair| pair.guest.may_set(ball));
    let moved = Ball { x: -20.0, ..pair.guest.get(ball).unwrap() };
    pair.guest.set(ball, moved).unwrap();
    pair.until(|pair| pair.host.get(ball).unwrap().x == -20.0);
    assert_eq!(pair.host.owner(ball).unwrap(), pair.guest.local_peer());
    pair.host.migrate(ball, PeerId(1)).unwrap();
    pair.until(|pair| pair.host.owner(ball).unwrap() == PeerId(1));
}

#[test]
fn a_game_refuses_a_claim() {
    let mut pair = Pair::open();
    let asked = pair.host.create(Asked { number: 5 }).unwrap();
    pair.until(|pair| pair.guest.exists(asked));
    pair.guest.claim_as(asked, ClaimMode::Optimistic).unwrap();
    let before = pair.guest.values::<Asked>().unwrap();
    pair.guest.set(asked, Asked { number: 6 }).unwrap();
    assert_eq!(before.get(0).unwrap().number, 5); // Optimistic claims make it a snapshot.
    assert_eq!(pair.guest.values::<Asked>().unwrap().next().unwrap().number, 6);
    let refusal = pair.wait(|session, event| match event {
        Event::ClaimAsked(claim) => {
            session.refuse_claim(claim.object, claim.claimer).unwrap();
            None
        }
        Event::ClaimRefused(claim) => Some(claim.refusal),
        _ => None,
    });
    assert_eq!(refusal, ClaimRefusal::ByGame);
    assert_eq!(refusal.to_string(), "The host's game has refused the claim.");
    assert_eq!(pair.guest.get(asked).unwrap().number, 5);
}

#[test]
fn lists_show_what_is_set_meanwhile() {
    let mut pair = Pair::open();
    for i in 0..50 {
        pair.host.create(Ball { x: i as f32, ..Ball::default() }).unwrap();
    }
    let values = pair.host.values::<Ball>().unwrap();
    for (ball, value) in pair.host.objects::<Ball>().unwrap() {
        pair.host.set(ball, Ball { x: value.x + 100.0, ..value }).unwrap();
        pair.host.create(Ball::default()).unwrap(); // It does not disturb the lists.
    }
    assert_eq!(values.len(), 50);
    assert_eq!(values.map(|ball| ball.x).fold(f32::MAX, f32::min), 100.0);
    let (balls, moved): (Vec<_>, Vec<_>) = pair.host.objects::<Ball>().unwrap().unzip();
    assert_eq!(pair.host.set_many(&balls, &moved).unwrap(), 100);
    pair.until(|pair| pair.guest.ids::<Ball>().unwrap().len() == 100);
    pair.host.destroy(balls[0]).unwrap();
    pair.until(|pair| !pair.guest.exists(balls[0]));
    assert_eq!(pair.guest.values::<Ball>().unwrap().len(), 99);
}

#[test]
fn a_request_is_answered() {
    let mut pair = Pair::open();
    let asked = pair.guest.request(PeerId::HOST, shout("hello"), 1000).unwrap();
    let number = pair.wait(|session, event| match event {
        Event::Call(call) => {
            let heard: Shout = call.arguments().unwrap();
            assert!(call.arguments::<Length>().is_none());
            let number = heard.words.as_bytes().len() as i32;
            session.reply(call.peer, call.id.unwrap(), Length { number }).unwrap();
            None
        }
        Event::Reply(reply) if reply.id == Some(asked) => {
            reply.arguments().map(|length: Length| length.number)
        }
        _ => None,
    });
    assert_eq!(number, 5);
}

#[test]
fn a_request_without_a_reply_fails() {
    let mut pair = Pair::open();
    pair.guest.request(PeerId::HOST, shout("hello"), 200).unwrap();
    let failure = pair.wait(|_, event| match event {
        Event::CallFailed(call) => Some(call.failure),
        _ => None,
    });
    assert_eq!(failure, CallFailure::NoReply);
}

#[test]
fn everyone_and_owners_get_calls() {
    let mut pair = Pair::open();
    let ball = pair.host.create(Ball::default()).unwrap();
    pair.until(|pair| pair.guest.exists(ball));
    pair.guest.call_owner(ball, shout("catch")).unwrap();
    pair.guest.call_as(PeerId::EVERYONE, shout("all"), Reliability::Unreliable).unwrap();
    let mut heard = Vec::new();
    for _ in 0..60 {
        pair.tick(&mut |session, event| {
            if let Event::Call(call) = event {
                let words = call.arguments::<Shout>().unwrap().words.to_string();
                heard.push((words, call.object, session.local_peer()));
            }
        });
    }
    heard.sort_by(|a, b| a.0.cmp(&b.0));
    let host = pair.host.local_peer();
    let expected = [("all".into(), None, host), ("catch".into(), Some(ball.any()), host)];
    assert_eq!(heard, expected);
}

#[test]
fn the_game_admits_a_newcomer() {
    let mut pair = Pair::new(Admission::AskGame);
    let asked = pair.wait(|_, event| match event {
        Event::JoinAsked(newcomer) => Some((newcomer.peer, newcomer.name(), newcomer.payload())),
        _ => None,
    });
    assert_eq!((asked.1.as_str(), asked.2.as_slice()), ("ben", &b"let me in"[..]));
    pair.host.admit(asked.0).unwrap();
    pair.until(|pair| pair.guest.state() == State::Open);
    assert_eq!(pair.host.other_peers(), [asked.0]);
    assert_eq!(pair.guest.peer_name(pair.guest.host_peer()).unwrap(), "ada");
}

#[test]
fn leaving_gives_the_objects_away() {
    let mut pair = Pair::open();
    let ball = pair.guest.create(Ball::default()).unwrap();
    pair.until(|pair| pair.host.exists(ball));
    pair.guest.leave().unwrap();
    pair.until(|pair| pair.guest.state() == State::Left);
    pair.until(|pair| pair.host.owner(ball).unwrap() == pair.host.local_peer());
    assert!(pair.guest.state_text().contains("Left"));
}

#[test]
fn log_lines_come_and_a_session_changes_its_thread() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = lines.clone();
    let log = move |line: &str| kept.lock().unwrap().push(line.to_string());
    let config = Config { log: Some(Box::new(log)), ..Config::default() };
    let mut session = Session::new(config, &all_types()).unwrap();
    std::thread::spawn(move || {
        session.start().unwrap();
        session.create(Twin { number: 1 }).unwrap();
    })
    .join()
    .unwrap();
    assert!(lines.lock().unwrap().iter().any(|line| line == "The session is open."));
}

#[test]
fn tern_sys_takes_the_recording() {
    let config = Config { recording_bytes_max: 65_536, ..Config::default() };
    let mut session = Session::new(config, &all_types()).unwrap();
    session.start().unwrap();
    let mut bytes = std::ptr::null();
    // SAFETY: The session is valid, and nothing of it is borrowed.
    let size = unsafe { tern_sys::tern_take_recording(session.as_ptr(), &mut bytes) };
    assert!(size > 0 && !bytes.is_null());
}

#[test]
fn two_sessions_meet_by_udp() {
    let (mut here, mut there) = (UdpSocket::new(0).unwrap(), UdpSocket::with_ipv6(0).unwrap());
    let mut host = Session::new(Config::default(), &all_types()).unwrap();
    let mut guest = Session::new(Config::default(), &all_types()).unwrap();
    host.start().unwrap();
    let address = format!("127.0.0.1:{}", here.port());
    guest.join(&host.make_invite(&[address.parse().unwrap()]).unwrap(), b"").unwrap();
    let end_us = tern::clock_us() + 20_000_000;
    while guest.state() != State::Open && tern::clock_us() < end_us {
        for (session, socket) in [(&mut host, &mut here), (&mut guest, &mut there)] {
            session.receive(socket.receive(), tern::clock_us()).unwrap();
            socket.send(session.send(tern::clock_us()).unwrap());
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    assert_eq!(guest.state(), State::Open);
}
