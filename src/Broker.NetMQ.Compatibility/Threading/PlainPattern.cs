using Broker.ZeroMq;

namespace NetMQ;

/// <summary>CLIENT, SCATTER and GATHER: a message is one frame.</summary>
internal sealed class PlainPattern(ZmqSocketType type) : ThreadSafePattern
{
    internal override bool Sends => type != ZmqSocketType.Gather;

    internal override bool Receives => type != ZmqSocketType.Scatter;

    internal override StartedSocket Create(SocketSettings settings, ZeroMqContext context)
    {
        ZeroMqSocketOptions options = settings.Fill(new ZeroMqSocketOptions());
        return type switch
        {
            ZmqSocketType.Client => StartedSocket.SendsAndReceives(
                new DealerSocket(options with { DraftType = ZmtpSocketType.Client }, context)),
            ZmqSocketType.Scatter => StartedSocket.Sends(
                new PushSocket(options with { DraftType = ZmtpSocketType.Scatter }, context)),
            _ => StartedSocket.Receives(
                new PullSocket(options with { DraftType = ZmtpSocketType.Gather }, context)),
        };
    }
}
