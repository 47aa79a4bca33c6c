using System.Text;
using Broker.ZeroMq;

namespace NetMQ;

#pragma warning disable CA1001 // The thread-safe socket disposes the socket that this object creates.
/// <summary>DISH: the group is the frame before the message.</summary>
internal sealed class DishPattern : ThreadSafePattern
{
    private readonly HashSet<string> _groups = new(StringComparer.Ordinal);
    private SubscriberSocket? _socket;

    internal override bool Sends => false;

    internal override bool Receives => true;

    internal override StartedSocket Create(SocketSettings settings, ZeroMqContext context)
    {
        _socket = new SubscriberSocket(
            settings.Fill(new ZeroMqSocketOptions()) with { DraftType = ZmtpSocketType.Dish }, context);
        return StartedSocket.Receives(_socket);
    }

    internal override void TakeHead(ReadOnlySpan<byte> head, ref Msg msg) => msg.Group = Encoding.UTF8.GetString(head);

    /// <summary>Joins a group. The socket of Broker.ZeroMq exists.</summary>
    /// <exception cref="InvalidException">The group is joined already, or its name is too long.</exception>
    internal void Join(string group)
    {
        if (Encoding.UTF8.GetByteCount(group) > Msg.MaxGroupLength)
        {
            throw new InvalidException($"The name of a group has at most {Msg.MaxGroupLength} bytes.");
        }

        lock (_groups)
        {
            if (!_groups.Add(group))
            {
                throw new InvalidException($"The socket has joined the group {group} already.");
            }

            _socket!.Subscribe(group);
        }
    }

    /// <summary>Leaves a group.</summary>
    /// <exception cref="InvalidException">The group is not joined.</exception>
    internal void Leave(string group)
    {
        lock (_groups)
        {
            if (!_groups.Remove(group))
            {
                throw new InvalidException($"The socket has not joined the group {group}.");
            }

            _socket!.Unsubscribe(group);
        }
    }
}
