using Broker.ZeroMq.Sockets;
using Microsoft.Extensions.Logging;

namespace Broker.Bridge.Routes;

/// <summary>What a route writes to its log. What peers say of themselves has been made printable where it was read.</summary>
internal sealed partial class RouteLog(ILogger logger)
{
    internal const string BridgeRefused = "this peer is a bridge too, and messages would go round and round";

    private readonly ILogger _logger = logger;
    private readonly RefusalEpisodes _refusals = new(TimeProvider.System);

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

    // Who is refused connects again and again, as ZeroMQ does.
    private void Refused(ZeroMqEvent what)
    {
        if (!_refusals.IsNews(what.Endpoint, what.Address, what.Reason, out long before))
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

    [LoggerMessage(101, LogLevel.Information, "Listening for ZeroMQ peers on {Endpoint}")]
    internal partial void Listening(string endpoint);

    [LoggerMessage(102, LogLevel.Warning, "Cannot connect to {Endpoint}: {Reason}; trying again")]
    internal partial void ConnectFailed(string endpoint, string? reason);

    [LoggerMessage(103, LogLevel.Warning, "ZeroMQ peer {Address} at {Endpoint} refused: {Reason}")]
    internal partial void PeerRefused(string address, string endpoint, string? reason);

    [LoggerMessage(104, LogLevel.Warning, "ZeroMQ subscriber {Address} is too slow: messages to it are dropped until it has caught up")]
    internal partial void Dropping(string address);

    [LoggerMessage(105, LogLevel.Information, "ZeroMQ peer {Address} left with {Undelivered} messages queued for it")]
    internal partial void LeftWithMessages(string address, long undelivered);

    [LoggerMessage(106, LogLevel.Debug, "ZeroMQ peer {Address} connected at {Endpoint}")]
    internal partial void PeerConnected(string address, string endpoint);

    [LoggerMessage(107, LogLevel.Debug, "ZeroMQ peer {Address} disconnected: {Reason}")]
    internal partial void PeerDisconnected(string address, string? reason);

    [LoggerMessage(120, LogLevel.Error, "The bridge met a fault of its own")]
    internal partial void Fault(Exception error);

    [LoggerMessage(113, LogLevel.Warning, "A message was not bridged: {Reason}. Further ones of the same kind are only counted")]
    internal partial void NotMapped(string reason);

    [LoggerMessage(115, LogLevel.Warning, "ZeroMQ messages are dropped: {Reason}. Further ones are only counted")]
    internal partial void NotTaken(string reason);

    [LoggerMessage(118, LogLevel.Error, "The bridge cannot subscribe to {Filter}: {Reason}. Further ones are not told of until it has a server anew")]
    internal partial void FilterRefused(string? filter, string reason);

    [LoggerMessage(119, LogLevel.Warning, "ZeroMQ peer {Address} at {Endpoint} refused: {Reason}; and {Before} more since the last such line")]
    internal partial void PeerRefusedAnew(string address, string endpoint, string? reason, long before);

    [LoggerMessage(116, LogLevel.Debug, "ZeroMQ peer {Address} at {Endpoint} refused again: {Reason}")]
    internal partial void RefusedAgain(string address, string endpoint, string? reason);

    [LoggerMessage(130, LogLevel.Warning, "The route ends with {Messages} messages from ZeroMQ that nobody has acknowledged")]
    internal partial void Unacknowledged(long messages);

    [LoggerMessage(134, LogLevel.Error, "The NATS server cannot be used for PUSH and PULL: {Reason}; PUSH programs wait for another")]
    internal partial void Unsendable(string reason);

    [LoggerMessage(131, LogLevel.Warning, "The stream {Stream} cannot be used: {Reason}; PUSH programs wait until it can")]
    internal partial void StreamAbsent(string stream, string reason);

    [LoggerMessage(132, LogLevel.Warning, "The stream takes no messages for now: {Answer}; PUSH programs wait, and it is asked again")]
    internal partial void StreamRefuses(string answer);

    [LoggerMessage(133, LogLevel.Warning, "The stream {Stream} has {Messages} messages that its consumer {Consumer} has passed over and will not deliver; the consumer is made again")]
    internal partial void StreamPassedOver(string stream, long messages, string consumer);
}
