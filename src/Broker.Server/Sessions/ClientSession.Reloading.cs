using Broker.Server.Delivery;
using Broker.Transport;

namespace Broker.Server.Sessions;

// What changes with the server's options and rules while the client is there.
internal sealed partial class ClientSession
{
    /// <summary>It can be found from now on: what changed before that it is told now. On the loop.</summary>
    internal void Recheck()
    {
        ApplyLimits();
        AdoptSecurity();
    }

    /// <summary>The server's options have changed. Any thread.</summary>
    /// <param name="security">Whether the rules have been replaced.</param>
    /// <param name="info">Whether INFO says something else now.</param>
    internal void OnReloaded(bool security, bool info) => Loop.Run(() =>
    {
        if (!_channel.IsEnded && _channel.Connection is not null)
        {
            ApplyLimits();
        }

        if (info)
        {
            TellInfo();
        }

        if (security)
        {
            AdoptSecurity();
        }
    });

    /// <summary>Sends another INFO if the client said that it understands one. Any thread.</summary>
    internal void TellInfo() => Loop.Run(() =>
    {
        if (!_channel.IsEnded && _channel.Connection is not null && _authentication.Request is { ProtocolLevel: >= 1 })
        {
            Greet();
        }
    });

    /// <summary>It is about to be sent what INFO says now. On the loop.</summary>
    internal void SetInfoVersion(int version) => _infoVersion = version;

    // How much may wait for the client. Again whenever the options or the level of the log may have changed.
    private void ApplyLimits()
    {
        ApplyTracing();
        BrokerServerOptions options = _server.Options;
        Connection connection = _channel.Connection;
        bool drops = options.SlowConsumers != SlowConsumerPolicy.Disconnect;
        // A loop's stage is handed over at 256 KiB and a message; the transport's bound comes after all that may be staged.
        long room = drops ? RoomForAnswers + (Loop.Group.Count * (RoomForAnswers + options.MaxPayload)) : 0;
        connection.Framing = WrittenOperation.Framing;
        connection.MaxPendingBytes = options.MaxPending + room;
        connection.WriteDeadline = drops ? Timeout.InfiniteTimeSpan : options.WriteDeadline;
        _target.Limit(options.SlowConsumers, options.MaxPending, isWatched: _server.MaxPendingTotal != 0, isTraced: _channel.Trace is not null);
    }

    private void ApplyTracing()
    {
        if (!_server.Log.IsTrace)
        {
            _channel.Trace = null;
            return;
        }

        if (_channel.Trace is null)
        {
            _channel.Trace = _server.Log.TraceOf(Id, RemoteEndPoint);
            _channel.Trace.Name(_authentication.Request?.Name);
        }

        _channel.Trace.PayloadLength = _server.Options.TracedPayload;
    }

    private void AdoptSecurity()
    {
        Security.AccessRules? before = _identity.Access;
        if (_authentication.TryRenew())
        {
            _subscriptions.Review(accessChanged: before != _identity.Access);
        }
    }
}
