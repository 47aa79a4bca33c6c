using System.Buffers;
using System.Runtime.CompilerServices;
using Broker.Transport;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Publishing;

public sealed partial class LoopPublisher
{
    private long _dropped;

    /// <summary>Publishes a message of one frame, which is its own topic. On the thread of <paramref name="loop"/>.</summary>
    /// <inheritdoc cref="Publish{TMessage}"/>
    public int Publish(EventLoop loop, ReadOnlySpan<byte> frame)
    {
        var message = new Encoders.OneFrame(frame);
        return Publish(loop, frame, ref message);
    }

    /// <summary>Publishes a message of two frames. On the thread of <paramref name="loop"/>.</summary>
    /// <inheritdoc cref="Publish{TMessage}"/>
    public int Publish(EventLoop loop, ReadOnlySpan<byte> topic, ReadOnlySpan<byte> body)
    {
        var message = new Encoders.TwoFrames(topic, body);
        return Publish(loop, topic, ref message);
    }

    /// <summary>Publishes a received message as it is. On the thread of <paramref name="loop"/>.</summary>
    /// <inheritdoc cref="Publish{TMessage}"/>
    public int Publish(EventLoop loop, in ZmtpMessage message)
    {
        var copy = new Encoders.Received(message);
        return Publish(loop, message.FirstFrame.Body, ref copy);
    }

    /// <summary>Publishes a message that is encoded already. On the thread of <paramref name="loop"/>.</summary>
    /// <param name="loop">The caller's loop.</param>
    /// <param name="topic">The body of the first frame.</param>
    /// <param name="encoded">
    /// The frames of exactly one message, as <see cref="ZmtpWriter"/> makes them. They are not checked: anything else makes the
    /// peers close the connection.
    /// </param>
    /// <inheritdoc cref="Publish{TMessage}"/>
    public int PublishEncoded(EventLoop loop, ReadOnlySpan<byte> topic, ReadOnlySpan<byte> encoded)
    {
        var message = new Encoders.Verbatim(encoded);
        return Publish(loop, topic, ref message);
    }

    /// <summary>Publishes a message of any shape. On the thread of <paramref name="loop"/>.</summary>
    /// <param name="loop">The caller's loop, of the socket's group.</param>
    /// <param name="topic">What subscriptions are compared with: the body of the first frame.</param>
    /// <param name="message">Writes the message, once.</param>
    /// <returns>
    /// How many peers it was queued for; -1 where <see cref="LoopPublisherOptions.NoDrop"/> is set and one of those who want it is full.
    /// </returns>
    /// <exception cref="ArgumentException">The loop is of another group.</exception>
    /// <exception cref="InvalidOperationException">Not on the thread of the loop; found out with the first message of a turn to a peer.</exception>
    public int Publish<TMessage>(EventLoop loop, ReadOnlySpan<byte> topic, ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        var peers = _subscriptions.Match(loop, topic);
        if (peers.IsEmpty || _closed)
        {
            return 0;
        }

        int reached = 0;
        int size = message.EncodedSize;
        if (Options.NoDrop && !HaveRoom(peers, loop, size))
        {
            return -1;
        }

        if (Options.Conflate)
        {
            return PublishNewest(peers, loop, ref message);
        }

        ReadOnlySpan<byte> encoded = default;
        foreach (var peer in peers)
        {
            OutboundStage stage = peer.Connection.GetStage(loop);
            if (!peer.HasRoom(loop, stage, size, _budget.Share))
            {
                Drop(peer);
                continue;
            }

            // The first copy stays where it is while other stages are written: it serves as the source of all others.
            Span<byte> destination = stage.GetSpan(size)[..size];
            if (reached++ == 0)
            {
                message.Encode(destination);
                encoded = destination;
            }
            else
            {
                encoded.CopyTo(destination);
            }

            stage.Advance(size);
            peer.Count(loop);
        }

        // Sessions that end must not be kept by this memory.
        peers.Clear();
        return reached;
    }

    /// <summary>
    /// Sends a message that is encoded already to one peer, whatever that has subscribed to. On the thread of <paramref name="loop"/>, behind
    /// what was published there before.
    /// </summary>
    /// <returns>Whether it was queued; otherwise the peer is gone, or full and the message counted as dropped.</returns>
    internal bool PublishTo(EventLoop loop, ZeroMqPeer peer, ReadOnlySpan<byte> encoded)
    {
        var session = (PublisherSession)peer.Session;
        if (session.IsGone || _closed)
        {
            return false;
        }

        OutboundStage stage = session.Connection.GetStage(loop);
        if (!session.HasRoom(loop, stage, encoded.Length, _budget.Share))
        {
            Drop(session);
            return false;
        }

        encoded.CopyTo(stage.GetSpan(encoded.Length));
        stage.Advance(encoded.Length);
        session.Count(loop);
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int PublishNewest<TMessage>(Span<PublisherSession> peers, EventLoop loop, ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        int size = message.EncodedSize;
        byte[] rented = ArrayPool<byte>.Shared.Rent(size);
        message.Encode(rented.AsSpan(0, size));
        foreach (var peer in peers)
        {
            peer.SendNewest(loop, rented.AsSpan(0, size));
        }

        ArrayPool<byte>.Shared.Return(rented);
        int reached = peers.Length;
        peers.Clear();
        return reached;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool HaveRoom(ReadOnlySpan<PublisherSession> peers, EventLoop loop, int size)
    {
        foreach (var peer in peers)
        {
            long share = _budget.Share;
            if (!peer.HasRoom(loop, peer.Connection.GetStage(loop), size, share))
            {
                peer.AwaitRoom(loop);
                if (share != long.MaxValue)
                {
                    AwaitEnough();
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
