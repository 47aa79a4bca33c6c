using System.Buffers.Binary;
using Broker.ZeroMq;

namespace NetMQ;

/// <summary>SERVER: the peer's number is the frame before the message.</summary>
internal sealed class ServerPattern : ThreadSafePattern
{
    internal override bool Sends => true;

    internal override bool Receives => true;

    internal override StartedSocket Create(SocketSettings settings, ZeroMqContext context)
        => StartedSocket.SendsAndReceives(new RouterSocket(
            settings.Fill(new RouterSocketOptions()) with { DraftType = ZmtpSocketType.Server }, context));

    internal override byte[] HeadOf(in Msg msg)
    {
        ArgumentOutOfRangeException.ThrowIfZero(msg.RoutingId, nameof(msg.RoutingId));
        byte[] id = new byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(id, msg.RoutingId);
        return id;
    }

    internal override void TakeHead(ReadOnlySpan<byte> head, ref Msg msg)
        => msg.RoutingId = BinaryPrimitives.ReadUInt32BigEndian(head);
}
