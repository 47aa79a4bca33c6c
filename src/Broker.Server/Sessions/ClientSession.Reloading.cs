using Broker.Transport;

namespace Broker.Server;

// Changes of the server's options and security rules while the client is connected.
internal sealed partial class ClientSession
{
    /// <summary>
    /// Applies changes that were made before the session was in the list of sessions. Called on the connection's loop.
    /// </summary>
    internal void ApplyMissedChanges()
    {
        ApplyLimits();
        ApplySecurity();
    }

    /// <summary>Applies changed options of the server. Thread-safe.</summary>
    /// <param name="security">Whether the security rules have been replaced.</param>
    /// <param name="info">Whether the content of INFO has changed.</param>
    internal void OnReloaded(bool security, bool info) => Loop.Run(() =>
    {
        if (!_channel.IsEnded && _channel.Connection is not null)
        {
            ApplyLimits();
        }

        if (info)
        {
            ResendInfo();
        }

        if (security)
        {
            ApplySecurity();
        }
    });

    /// <summary>Sends another INFO if the client's CONNECT announced that it accepts one. Thread-safe.</summary>
    internal void ResendInfo() => Loop.Run(() =>
    {
        if (!_channel.IsEnded && _channel.Connection is not null && _authentication.Request is { ProtocolLevel: >= 1 })
        {
            SendInfo();
        }
    });

    /// <summary>Stores the version of the INFO that is about to be sent. Called on the connection's loop.</summary>
    internal void SetInfoVersion(int version) => _infoVersion = version;

    // Sets the limits of the client's queue. Called again when the options or the log level may have changed.
    private void ApplyLimits()
    {
        ApplyTracing();
        BrokerServerOptions options = _server.Options;
        Connection connection = _channel.Connection;
        bool drops = options.SlowConsumers != SlowConsumerPolicy.Disconnect;
        // Each loop flushes its write buffer when it contains 256 KiB and a further message. The limit of the transport
        // must be higher than everything that the loops may have buffered.
        long room = drops ? MaxPendingReplyBytes + (Loop.Group.Count * (MaxPendingReplyBytes + options.MaxPayload)) : 0;
        connection.Framing = OperationFraming.Framing;
        connection.MaxPendingBytes = options.MaxPending + room;
        connection.WriteDeadline = drops ? Timeout.InfiniteTimeSpan : options.WriteDeadline;
        _target.Limit(
            options.SlowConsumers,
            options.MaxPending,
            isWatched: _server.MaxPendingTotal != 0,
            isTraced: _channel.Trace is not null);
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

    private void ApplySecurity()
    {
        AccessRules? before = _identity.Access;
        if (_authentication.TryApplyRules())
        {
            _subscriptions.Review(accessChanged: before != _identity.Access);
        }
    }
}
