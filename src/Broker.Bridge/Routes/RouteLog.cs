using Broker.ZeroMq;
using Microsoft.Extensions.Logging;

namespace Broker.Bridge;

/// <summary>
/// The log messages of a route; each line contains the route's name. Texts that peers sent were made printable when
/// they were read.
/// </summary>
internal sealed partial class RouteLog(ILogger logger, string route)
{
    internal const string BridgeRefused = "this peer is another bridge, and messages would go round in a circle";

    private readonly ILogger _logger = logger;
    private readonly string _route = route;
    private readonly RefusalLogFilter _refusals = new(TimeProvider.System);

    internal void ZeroMq(ZeroMqEvent what)
    {
        switch (what.Kind)
        {
            case ZeroMqEventKind.Listening:
                Listening(what.Endpoint);
                break;
            case ZeroMqEventKind.ConnectFailed:
                ConnectFailed(what.Endpoint, what.Reason);
                break;
            case ZeroMqEventKind.PeerRefused:
                Refused(what);
                break;
            case ZeroMqEventKind.MessagesDropped:
                Dropping(what.Address);
                break;
            case ZeroMqEventKind.MessageInterrupted:
                Interrupted(_route, what.Address, what.Reason);
                break;
            case ZeroMqEventKind.PeerDisconnected when what.Undelivered > 0:
                LeftWithMessages(what.Address, what.Undelivered);
                break;
            case ZeroMqEventKind.PeerConnected:
                PeerConnected(what.Address, what.Endpoint);
                break;
            default:
                PeerDisconnected(what.Address, what.Reason);
                break;
        }
    }

    // A peer that is refused connects again and again, because ZeroMQ sockets reconnect on their own.
    private void Refused(ZeroMqEvent what)
    {
        if (!_refusals.ShouldLog(what.Endpoint, what.Address, what.Reason, out long before))
        {
            RefusedAgain(what.Address, what.Endpoint, what.Reason);
        }
        else if (before == 0)
        {
            PeerRefused(what.Address, what.Endpoint, what.Reason);
        }
        else
        {
            PeerRefusedAnew(what.Address, what.Endpoint, what.Reason, before);
        }
    }

    internal void PauseChanged(bool paused)
    {
        if (paused)
        {
            Paused(_route);
        }
        else
        {
            Resumed(_route);
        }
    }

    internal void ShadowChanged(bool shadow)
    {
        if (shadow)
        {
            ShadowBegins(_route);
        }
        else
        {
            ShadowEnds(_route);
        }
    }

    internal void Listening(string endpoint) => Listening(_route, endpoint);

    internal void ConnectFailed(string endpoint, string? reason) => ConnectFailed(_route, endpoint, reason);

    internal void PeerRefused(string address, string endpoint, string? reason)
        => PeerRefused(_route, address, endpoint, reason);

    internal void Dropping(string address) => Dropping(_route, address);

    internal void LeftWithMessages(string address, long undelivered) => LeftWithMessages(_route, address, undelivered);

    internal void PeerConnected(string address, string endpoint) => PeerConnected(_route, address, endpoint);

    internal void PeerDisconnected(string address, string? reason) => PeerDisconnected(_route, address, reason);

    internal void Fault(Exception error) => Fault(error, _route);

    internal void NotMapped(string reason) => NotMapped(_route, reason);

    internal void NotTaken(string reason) => NotTaken(_route, reason);

    internal void NotDelivered(string reason) => NotDelivered(_route, reason);

    internal void FilterRefused(string? filter, string reason) => FilterRefused(_route, filter, reason);

    internal void PeerRefusedAnew(string address, string endpoint, string? reason, long before)
        => PeerRefusedAnew(_route, address, endpoint, reason, before);

    internal void RefusedAgain(string address, string endpoint, string? reason)
        => RefusedAgain(_route, address, endpoint, reason);

    internal void Unacknowledged(long messages) => Unacknowledged(_route, messages);

    internal void Unsendable(string reason) => Unsendable(_route, reason);

    internal void StreamAbsent(string stream, string reason) => StreamAbsent(_route, stream, reason);

    internal void StreamRefuses(string answer) => StreamRefuses(_route, answer);

    internal void StreamMessagesSkipped(string stream, long messages, string consumer)
        => StreamMessagesSkipped(_route, stream, messages, consumer);

    [LoggerMessage(135, LogLevel.Information, "Route {Route}: paused; it takes no new messages")]
    private partial void Paused(string route);

    [LoggerMessage(136, LogLevel.Information, "Route {Route}: resumed")]
    private partial void Resumed(string route);

    [LoggerMessage(137, LogLevel.Information, "Route {Route}: its ZeroMQ programs receive only copies from now on")]
    private partial void ShadowBegins(string route);

    [LoggerMessage(138, LogLevel.Information, "Route {Route}: its ZeroMQ programs take part; they no longer receive only copies")]
    private partial void ShadowEnds(string route);

    [LoggerMessage(101, LogLevel.Information, "Route {Route}: listening for ZeroMQ peers on {Endpoint}")]
    private partial void Listening(string route, string endpoint);

    [LoggerMessage(102, LogLevel.Warning, "Route {Route}: cannot connect to {Endpoint}: {Reason}; it tries again")]
    private partial void ConnectFailed(string route, string endpoint, string? reason);

    [LoggerMessage(103, LogLevel.Warning, "Route {Route}: refused ZeroMQ peer {Address} at {Endpoint}: {Reason}")]
    private partial void PeerRefused(string route, string address, string endpoint, string? reason);

    [LoggerMessage(104, LogLevel.Warning,
        "Route {Route}: ZeroMQ subscriber {Address} is too slow; its messages are dropped until its queue has "
        + "space again")]
    private partial void Dropping(string route, string address);

    [LoggerMessage(105, LogLevel.Information,
        "Route {Route}: ZeroMQ peer {Address} disconnected while {Undelivered} messages were queued for it")]
    private partial void LeftWithMessages(string route, string address, long undelivered);

    [LoggerMessage(106, LogLevel.Debug, "Route {Route}: ZeroMQ peer {Address} connected at {Endpoint}")]
    private partial void PeerConnected(string route, string address, string endpoint);

    [LoggerMessage(107, LogLevel.Debug, "Route {Route}: ZeroMQ peer {Address} disconnected: {Reason}")]
    private partial void PeerDisconnected(string route, string address, string? reason);

    [LoggerMessage(120, LogLevel.Error, "Route {Route}: an unexpected error occurred in the bridge")]
    private partial void Fault(Exception error, string route);

    [LoggerMessage(113, LogLevel.Warning,
        "Route {Route}: a message was not bridged: {Reason}. Further messages of this kind are only counted")]
    private partial void NotMapped(string route, string reason);

    [LoggerMessage(115, LogLevel.Warning,
        "Route {Route}: messages from ZeroMQ programs are dropped: {Reason}. Further ones are only counted")]
    private partial void NotTaken(string route, string reason);

    [LoggerMessage(121, LogLevel.Warning,
        "Route {Route}: messages for ZeroMQ programs are dropped: {Reason}. Further ones are only counted")]
    private partial void NotDelivered(string route, string reason);

    [LoggerMessage(118, LogLevel.Error,
        "Route {Route}: the bridge cannot subscribe to {Filter}: {Reason}. Further failures are not logged until "
        + "it connects to a server again")]
    private partial void FilterRefused(string route, string? filter, string reason);

    [LoggerMessage(119, LogLevel.Warning,
        "Route {Route}: refused ZeroMQ peer {Address} at {Endpoint}: {Reason}; {Before} more refusals were not "
        + "logged since the last one")]
    private partial void PeerRefusedAnew(string route, string address, string endpoint, string? reason, long before);

    [LoggerMessage(116, LogLevel.Debug, "Route {Route}: refused ZeroMQ peer {Address} at {Endpoint} again: {Reason}")]
    private partial void RefusedAgain(string route, string address, string endpoint, string? reason);

    [LoggerMessage(123, LogLevel.Warning, "Route {Route}: ZeroMQ peer {Address}: {Reason}")]
    private partial void Interrupted(string route, string address, string? reason);

    [LoggerMessage(130, LogLevel.Warning,
        "Route {Route}: the route closes; {Messages} messages from ZeroMQ programs were not acknowledged")]
    private partial void Unacknowledged(string route, long messages);

    [LoggerMessage(134, LogLevel.Error,
        "Route {Route}: this NATS server does not support PUSH and PULL routes: {Reason}; PUSH programs wait for "
        + "another server")]
    private partial void Unsendable(string route, string reason);

    [LoggerMessage(131, LogLevel.Warning,
        "Route {Route}: the stream {Stream} cannot be used: {Reason}; PUSH programs wait until it can be used")]
    private partial void StreamAbsent(string route, string stream, string reason);

    [LoggerMessage(132, LogLevel.Warning,
        "Route {Route}: the stream does not store messages now: {Answer}; PUSH programs wait, and the route "
        + "publishes again later")]
    private partial void StreamRefuses(string route, string answer);

    [LoggerMessage(133, LogLevel.Warning,
        "Route {Route}: the consumer {Consumer} has skipped {Messages} messages of the stream {Stream} and will "
        + "not deliver them; the route creates the consumer again")]
    private partial void StreamMessagesSkipped(string route, string stream, long messages, string consumer);
}
