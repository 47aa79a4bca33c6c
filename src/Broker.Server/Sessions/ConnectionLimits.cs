using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Applies the server's options for queues, slow consumers and the trace to one client. Runs on the connection's loop.
/// </summary>
internal sealed class ConnectionLimits(ClientChannel channel)
{
    // The queue also contains replies of the server, which are never dropped. A client with more than this number of
    // bytes of queued replies is closed.
    private const long MaxPendingReplyBytes = 1024 * 1024;

    /// <summary>
    /// Applies the current options. Called again when the options or the log level may have changed.
    /// </summary>
    /// <param name="clientName">The client's name for the trace; null for none.</param>
    internal void Apply(string? clientName)
    {
        ApplyTracing(clientName);
        BrokerServerOptions options = channel.Server.Options;
        Connection connection = channel.Connection;
        bool drops = options.SlowConsumers != SlowConsumerPolicy.Disconnect;
        // A write buffer of a loop may contain 256 KiB and one further message before the loop flushes it. The limit of
        // the transport must be higher than the bytes in the write buffers of all loops.
        long buffered = channel.Loop.Group.Count * (MaxPendingReplyBytes + options.MaxPayload);
        connection.Framing = OperationFraming.Framing;
        connection.MaxPendingBytes = options.MaxPending + (drops ? MaxPendingReplyBytes + buffered : 0);
        connection.HighWaterBytes = options.StallFastPublishers && !drops ? options.MaxPending / 2 : 0;
        connection.WriteDeadline = drops ? Timeout.InfiniteTimeSpan : options.WriteDeadline;
        channel.Target.Limit(
            options.SlowConsumers,
            options.MaxPending,
            isWatched: channel.Server.MaxPendingTotal != 0,
            isTraced: channel.Trace is not null);
    }

    private void ApplyTracing(string? clientName)
    {
        ServerCore server = channel.Server;
        if (!server.Log.IsTrace)
        {
            channel.Trace = null;
            return;
        }

        if (channel.Trace is null)
        {
            channel.Trace = server.Log.TraceOf(channel.Id, channel.RemoteEndPoint);
            channel.Trace.Name(clientName);
        }

        channel.Trace.PayloadLength = server.Options.TracedPayload;
    }
}
