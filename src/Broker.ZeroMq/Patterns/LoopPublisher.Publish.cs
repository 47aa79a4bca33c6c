using System.Buffers;
using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.ZeroMq.Loops;

public sealed partial class LoopPublisher
{
    private long _dropped;

    /// <summary>
    /// Publishes a message of one frame, which is also the topic. Must be called on the thread of
    /// <paramref name="loop"/>.
    /// </summary>
    /// <inheritdoc cref="Publish{TMessage}"/>
    public int Publish(EventLoop loop, ReadOnlySpan<byte> frame)
    {
        var message = new Encoders.OneFrame(frame);
        return Publish(loop, frame, ref message);
    }

    /// <summary>Publishes a message of two frames. Must be called on the thread of <paramref name="loop"/>.</summary>
    /// <inheritdoc cref="Publish{TMessage}"/>
    public int Publish(EventLoop loop, ReadOnlySpan<byte> topic, ReadOnlySpan<byte> body)
    {
        var message = new Encoders.TwoFrames(topic, body);
        return Publish(loop, topic, ref message);
    }

    /// <summary>
    /// Publishes a received message unchanged. Must be called on the thread of <paramref name="loop"/>.
    /// </summary>
    /// <inheritdoc cref="Publish{TMessage}"/>
    public int Publish(EventLoop loop, in ZmtpMessage message)
    {
        var copy = new Encoders.Received(message);
        return Publish(loop, message.FirstFrame.Body, ref copy);
    }

    /// <summary>
    /// Publishes a message that is already encoded. Must be called on the thread of <paramref name="loop"/>.
    /// </summary>
    /// <param name="loop">The loop of the calling thread.</param>
    /// <param name="topic">The body of the first frame.</param>
    /// <param name="encoded">
    /// The frames of exactly one message in the format of <see cref="ZmtpWriter"/>. The frames are not checked: if they
    /// are malformed, the peers close their connections.
    /// </param>
    /// <inheritdoc cref="Publish{TMessage}"/>
    public int PublishEncoded(EventLoop loop, ReadOnlySpan<byte> topic, ReadOnlySpan<byte> encoded)
    {
        var message = new Encoders.Verbatim(encoded);
        return Publish(loop, topic, ref message);
    }

    /// <summary>
    /// Publishes a message that an encoder writes. Must be called on the thread of <paramref name="loop"/>.
    /// </summary>
    /// <param name="loop">The loop of the calling thread, which must belong to the socket's group.</param>
    /// <param name="topic">The body of the first frame, which is compared with the subscriptions.</param>
    /// <param name="message">The encoder; it is called once.</param>
    /// <returns>
    /// The number of peers for which the message was queued, or -1 if <see cref="LoopPublisherOptions.NoDrop"/> is set
    /// and a peer that wants the message has no room.
    /// </returns>
    /// <exception cref="ArgumentException">The loop belongs to another group.</exception>
    /// <exception cref="InvalidOperationException">
    /// The call is not on the thread of the loop. This mistake is detected only for the first message to a peer in an
    /// iteration.
    /// </exception>
    public int Publish<TMessage>(EventLoop loop, ReadOnlySpan<byte> topic, ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        Span<PublisherSession> peers = HasGroups ? MatchGroup(loop, topic) : _subscriptions.Match(loop, topic);
        if (peers.IsEmpty || _closed)
        {
            return 0;
        }

        int reached = 0;
        int size = message.EncodedSize;
        if (Options.NoDrop && !AllHaveRoom(peers, loop, size))
        {
            return -1;
        }

        if (Options.Conflate)
        {
            return PublishConflated(peers, loop, ref message);
        }

        ReadOnlySpan<byte> encoded = default;
        foreach (PublisherSession peer in peers)
        {
            LoopWriteBuffer buffer = peer.Connection.GetWriteBuffer(loop);
            if (!peer.HasRoom(loop, buffer, size, _budget.PerPeerLimit))
            {
                Drop(peer);
                continue;
            }

            // The first copy stays in place while other buffers are written, so it is the source of all other copies.
            Span<byte> destination = buffer.GetSpan(size)[..size];
            if (reached++ == 0)
            {
                message.Encode(destination);
                encoded = destination;
            }
            else
            {
                encoded.CopyTo(destination);
            }

            buffer.Advance(size);
            peer.Count(loop);
        }

        // The search reuses this memory, which must not keep closed sessions alive.
        peers.Clear();
        return reached;
    }

    /// <summary>
    /// Sends an encoded message to one peer, whatever the peer has subscribed to. The message is queued after all
    /// messages that were published on the same loop before. Must be called on the thread of <paramref name="loop"/>.
    /// </summary>
    /// <returns>
    /// True if the message was queued. False if the peer has disconnected, or if the peer has no room and the message
    /// counts as dropped.
    /// </returns>
    /// <exception cref="InvalidOperationException">The peer belongs to another socket.</exception>
    public bool PublishTo(EventLoop loop, ZeroMqPeer peer, ReadOnlySpan<byte> encoded)
    {
        ArgumentNullException.ThrowIfNull(loop);
        ArgumentNullException.ThrowIfNull(peer);
        if (peer.Session is not PublisherSession session || session.Socket != this)
        {
            throw new InvalidOperationException("The peer belongs to another socket.");
        }

        if (session.IsDisconnected || _closed)
        {
            return false;
        }

        LoopWriteBuffer buffer = session.Connection.GetWriteBuffer(loop);
        if (!session.HasRoom(loop, buffer, encoded.Length, _budget.PerPeerLimit))
        {
            Drop(session);
            return false;
        }

        encoded.CopyTo(buffer.GetSpan(encoded.Length));
        buffer.Advance(encoded.Length);
        session.Count(loop);
        return true;
    }

    // A message of a group that is too long reaches nobody.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Span<PublisherSession> MatchGroup(EventLoop loop, ReadOnlySpan<byte> group)
    {
        Span<byte> prefix = stackalloc byte[ZmtpGroup.MaxPrefix];
        ReadOnlySpan<byte> key = ZmtpGroup.ToPrefix(group, prefix);
        return key.IsEmpty ? default : _subscriptions.Match(loop, key);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int PublishConflated<TMessage>(Span<PublisherSession> peers, EventLoop loop, ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        int size = message.EncodedSize;
        byte[] rented = ArrayPool<byte>.Shared.Rent(size);
        message.Encode(rented.AsSpan(0, size));
        foreach (PublisherSession peer in peers)
        {
            peer.SendConflated(loop, rented.AsSpan(0, size));
        }

        ArrayPool<byte>.Shared.Return(rented);
        int reached = peers.Length;
        peers.Clear();
        return reached;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool AllHaveRoom(ReadOnlySpan<PublisherSession> peers, EventLoop loop, int size)
    {
        foreach (PublisherSession peer in peers)
        {
            long share = _budget.PerPeerLimit;
            if (!peer.HasRoom(loop, peer.Connection.GetWriteBuffer(loop), size, share))
            {
                peer.NotifyWhenRoom(loop);
                if (share != long.MaxValue)
                {
                    NotifyWhenMemoryAvailable();
                }

                return false;
            }
        }

        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Drop(PublisherSession peer)
    {
        Interlocked.Increment(ref _dropped);
        peer.Drop();
    }
}
