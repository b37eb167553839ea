//! A guest of examples/meet.cpp: takes the ball, throws it to (3, 4), cheers, and leaves.
//!
//!     meet INVITE

use std::error::Error;
use std::time::Duration;
use tern::{clock_us, tern_type, types, Config, Event, PeerId, Session, State, Text, UdpSocket};

tern_type! {
    "ball" { objects_max: 10 }
    struct Ball {
        x: f32 { min: -100.0, max: 100.0, step: 0.01 },
        y: f32 { min: -100.0, max: 100.0, step: 0.01 },
        touches: u16,
    }
}

tern_type! {
    "cheer"
    struct Cheer {
        words: Text<32>,
    }
}

tern_type! {
    "thanks"
    struct Thanks {
        touches: i32,
    }
}

fn act(session: &Session, event: Event) -> Result<(), Box<dyn Error>> {
    match event {
        Event::CaughtUp => {
            let ball = session.ids::<Ball>()?.next().ok_or("there is no ball")?;
            session.claim(ball)?;
        }
        Event::ClaimGranted(claim) => {
            let ball = session.find_object::<Ball>(claim.object).ok_or("it is no ball")?;
            let touches = session.get(ball)?.touches + 1;
            session.set(ball, Ball { x: 3.0, y: 4.0, touches })?;
            session.request(PeerId::HOST, Cheer { words: "hurray".into() }, 5000)?;
        }
        Event::Reply(reply) => {
            let thanks: Thanks = reply.arguments().ok_or("the reply is no thanks")?;
            println!("thanks for touch {}", thanks.touches);
            session.leave()?;
        }
        Event::ClaimRefused(claim) => return Err(claim.refusal.text().into()),
        Event::CallFailed(call) => return Err(call.failure.text().into()),
        _ => {}
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let invite = std::env::args().nth(1).ok_or("expected: meet INVITE")?;
    let mut socket = UdpSocket::new(0)?;
    let config = Config { name: "rust".into(), ..Config::default() };
    let mut session = Session::new(config, &types![Ball, Cheer, Thanks])?;
    session.join(&invite.parse()?, b"")?;
    while session.state().is_running() {
        session.receive(socket.receive(), clock_us())?;
        for event in session.events() {
            act(&session, event)?;
        }
        socket.send(session.send(clock_us())?);
        std::thread::sleep(Duration::from_millis(5));
    }
    match session.state() {
        State::Left => Ok(()),
        _ => Err(session.state_text().into()),
    }
}
