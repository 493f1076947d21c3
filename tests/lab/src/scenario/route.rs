//! Which links a flow takes, and how long its way is.

use std::time::Duration;

use quiche_cc_bottleneck::{LinkConfig, Schedule};
use toml::Spanned;

use super::file::{self, Span};
use super::resolve::{refuse, Checked};
use super::{FlowDecl, LinkDecl};
use crate::network::Route;

/// The links of the flow, with wires of its own for its share of the delay in front.
pub fn lay(
    given: &Spanned<file::Flow>,
    name: &str,
    links: &mut Vec<LinkDecl>,
) -> Checked<(Route, Duration)> {
    let flow = given.get_ref();
    let mut to_client = find_links(&flow.path, links)?;
    let mut to_server = find_links(&flow.back, links)?;
    if to_client.is_empty() {
        return refuse(given, format!("the path of flow `{name}` has no link"));
    }
    let delay = |ids: &[usize]| {
        ids.iter()
            .map(|id| links[*id].config.delay.first())
            .sum::<Duration>()
    };
    let (ahead, back) = (delay(&to_client), delay(&to_server));
    let (own, own_back) = own_delays(flow, ahead, back)?;
    links.push(wire(name, "to client", own));
    to_client.insert(0, links.len() - 1);
    links.push(wire(name, "to server", own_back));
    to_server.insert(0, links.len() - 1);
    let route = Route {
        to_client,
        to_server,
    };
    Ok((route, ahead + own + back + own_back))
}

/// What the flow's own wires add to the delays of its links. Without a way back of links the return takes as long as the way there.
fn own_delays(flow: &file::Flow, ahead: Duration, back: Duration) -> Checked<(Duration, Duration)> {
    let Some(rtt) = &flow.rtt else {
        let own = flow.delay.map_or(Duration::ZERO, |delay| delay.0 .0);
        let symmetric = if flow.back.is_empty() {
            ahead + own
        } else {
            own
        };
        let own_back = flow.return_delay.map_or(symmetric, |delay| delay.0 .0);
        return Ok((own, own_back));
    };
    if flow.delay.is_some() || flow.return_delay.is_some() {
        return refuse(
            rtt,
            "`rtt` sets the delays; give it, or `delay` and `return_delay`",
        );
    }
    let Span(total) = rtt.get_ref().0;
    if total < ahead + back {
        return refuse(
            rtt,
            format!(
                "an RTT of {total:?} is not possible: the links alone take {:?}",
                ahead + back
            ),
        );
    }
    if flow.back.is_empty() {
        let own = (total / 2).saturating_sub(ahead);
        return Ok((own, total - ahead - own));
    }
    let own = (total - ahead - back) / 2;
    Ok((own, total - ahead - back - own))
}

fn find_links(names: &[Spanned<String>], links: &[LinkDecl]) -> Checked<Vec<usize>> {
    let find = |name: &Spanned<String>| {
        let place = links
            .iter()
            .position(|link| !link.private && link.name == *name.get_ref());
        place.map_or_else(
            || {
                let public = links.iter().filter(|link| !link.private);
                let known: Vec<_> = public.map(|link| link.name.as_str()).collect();
                refuse(
                    name,
                    format!(
                        "there is no link `{}`; there are {}",
                        name.get_ref(),
                        known.join(", ")
                    ),
                )
            },
            Ok,
        )
    };
    let mut found = Vec::new();
    for name in names {
        let link = find(name)?;
        if found.contains(&link) {
            return refuse(
                name,
                format!("a flow takes the link `{}` once only", name.get_ref()),
            );
        }
        found.push(link);
    }
    Ok(found)
}

/// Buffers in bandwidth-delay products count with the longest path over their link.
pub fn set_base_rtts(links: &mut [LinkDecl], flows: &[FlowDecl]) {
    for flow in flows {
        for &link in flow.route.to_client.iter().chain(&flow.route.to_server) {
            let config = &mut links[link].config;
            config.base_rtt = config.base_rtt.max(flow.base_rtt);
        }
    }
}

/// A flow's own wire in one direction.
fn wire(flow: &str, direction: &str, delay: Duration) -> LinkDecl {
    LinkDecl {
        name: format!("{flow} {direction}"),
        config: LinkConfig {
            delay: Schedule::constant(delay),
            ..LinkConfig::default()
        },
        private: true,
    }
}
