using System.Text;
using Broker.ZeroMq;

namespace NetMQ;

/// <summary>RADIO: the group is the frame before the message.</summary>
internal sealed class RadioPattern : ThreadSafePattern
{
    internal override bool Sends => true;

    internal override bool Receives => false;

    internal override StartedSocket Create(SocketSettings settings, ZeroMqContext context)
        => StartedSocket.Sends(new PublisherSocket(
            settings.Fill(new ZeroMqSocketOptions()) with { DraftType = ZmtpSocketType.Radio }, context));

    internal override byte[] HeadOf(in Msg msg)
    {
        ArgumentNullException.ThrowIfNull(msg.Group, nameof(msg.Group));
        return Encoding.UTF8.GetBytes(msg.Group);
    }
}
