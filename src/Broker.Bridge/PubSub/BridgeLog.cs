using Broker.ZeroMq.Sockets;
using Microsoft.Extensions.Logging;

namespace Broker.Bridge.PubSub;

/// <summary>What the bridge writes to its log. What peers say of themselves has been made printable where it was read.</summary>
internal sealed partial class BridgeLog(ILogger logger)
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

    [LoggerMessage(108, LogLevel.Warning, "The bridge has lost its NATS server: {Reason}; ZeroMQ messages are dropped until it is back")]
    internal partial void ServerLost(string reason);

    [LoggerMessage(109, LogLevel.Information, "The bridge has its NATS server back; {Filters} subscriptions renewed")]
    internal partial void ServerBack(int filters);

    [LoggerMessage(110, LogLevel.Warning, "The NATS server says: {Text}")]
    internal partial void ServerError(string text);

    [LoggerMessage(111, LogLevel.Error, "The bridge met a fault of its own")]
    internal partial void Fault(Exception error);

    [LoggerMessage(112, LogLevel.Debug, "The NATS server says again: {Text}")]
    internal partial void ServerErrorAgain(string text);

    [LoggerMessage(113, LogLevel.Warning, "A message was not bridged: {Reason}. Further ones of the same kind are only counted")]
    internal partial void NotMapped(string reason);

    [LoggerMessage(114, LogLevel.Error, "The bridge has lost its NATS server for good; nothing is bridged any more")]
    internal partial void ServerGone();

    [LoggerMessage(115, LogLevel.Warning, "ZeroMQ messages are dropped: {Reason}. Further ones are only counted")]
    internal partial void NotTaken(string reason);

    [LoggerMessage(117, LogLevel.Warning, "The bridge has no NATS server: {Reason}; ZeroMQ messages are dropped until it has one")]
    internal partial void ServerAbsent(string reason);

    [LoggerMessage(118, LogLevel.Error, "The bridge cannot subscribe to {Filter}: {Reason}. Further ones are not told of until it has a server anew")]
    internal partial void FilterRefused(string? filter, string reason);

    [LoggerMessage(119, LogLevel.Warning, "ZeroMQ peer {Address} at {Endpoint} refused: {Reason}; and {Before} more since the last such line")]
    internal partial void PeerRefusedAnew(string address, string endpoint, string? reason, long before);

    [LoggerMessage(116, LogLevel.Debug, "ZeroMQ peer {Address} at {Endpoint} refused again: {Reason}")]
    internal partial void RefusedAgain(string address, string endpoint, string? reason);
}
