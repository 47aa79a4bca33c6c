using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// Copies the messages of a loop socket's peers into the receive queue of a thread-safe socket. All messages of one
/// read are copied together.
/// </summary>
/// <param name="queue">The queue.</param>
/// <param name="showsIds">Whether receivers get the peer's routing id before each message.</param>
internal sealed class QueueSink(ReceiveQueue queue, bool showsIds = false) : InboundSink
{
    /// <summary>An encoded message of one empty frame.</summary>
    internal static readonly byte[] EmptyMessage = [0, 0];

    private readonly ReceiveQueue _queue = queue;
    private readonly Dictionary<MessageSession, ReceiveSource> _sources = [];
    private MessageSession? _lastSession;
    private ReceiveSource? _lastSource;

    /// <summary>Whether an empty message is received from each new peer.</summary>
    internal bool NotifiesConnect { private get; init; }

    /// <summary>
    /// The encoded message that is received when a peer has disconnected; null for none.
    /// </summary>
    internal byte[]? DisconnectMessage { private get; init; }

    /// <summary>
    /// Whether <see cref="DisconnectMessage"/> is received only from peers that connected to this socket.
    /// </summary>
    internal bool IsForAcceptedPeersOnly { private get; init; }

    internal override void OnConnected(MessageSession session)
    {
        if (NotifiesConnect)
        {
            // Even if there is no room, as for all notifications: there are at most two for each connection.
            _queue.Add(Find(session), EmptyMessage, 1);
        }
    }

    internal override ZmtpDecodeResult Receive(MessageSession session, ReadOnlySpan<byte> bytes)
    {
        ReceiveSource source = session == _lastSession ? _lastSource! : Find(session);
        var taker = new Taker(_queue.Room(source, out long room), room);
        ZmtpDecodeResult result = session.Decode(bytes, ref taker);
        if (taker.Count > 0)
        {
            if (taker.Size == result.Consumed)
            {
                _queue.Add(source, bytes[..taker.Size], taker.Count);
            }
            else
            {
                AddWithoutCommands(source, bytes[..result.Consumed], taker);
            }
        }

        if (taker.HasRefused && !_queue.TryPause(source))
        {
            session.Resume();
        }

        return result;
    }

    internal override void OnDisconnected(MessageSession session)
    {
        if (DisconnectMessage is not null && (!IsForAcceptedPeersOnly || session.Link is null))
        {
            _queue.Add(Find(session), DisconnectMessage, 1);
        }

        if (_sources.Remove(session, out ReceiveSource? source))
        {
            _queue.RemovePaused(source);
            _lastSession = null;
            _lastSource = null;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ReceiveSource Find(MessageSession session)
    {
        if (!_sources.TryGetValue(session, out ReceiveSource? source))
        {
            source = new ReceiveSource(session.Peer!, session.Loop, session.Resume)
            {
                Prefix = showsIds ? FrameOf(session.Peer!.RoutingId.Span) : null,
            };
            _sources.Add(session, source);
        }

        _lastSession = session;
        return _lastSource = source;
    }

    private static byte[] FrameOf(ReadOnlySpan<byte> routingId)
    {
        byte[] frame = new byte[ZmtpWriter.FrameSize(routingId.Length)];
        ZmtpWriter.WriteFrame(frame, routingId, more: true);
        return frame;
    }

    // Adds the messages without the commands that the peer sent between its messages or between the frames of a
    // message. Peers send commands only a few times a minute.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AddWithoutCommands(ReceiveSource source, ReadOnlySpan<byte> bytes, in Taker taken)
    {
        byte[] rented = ArrayPool<byte>.Shared.Rent(taken.Size);
        int length = 0;
        while (length < taken.Size)
        {
            int size = EncodedMessage.MeasureFrame(bytes, out bool isCommand);
            if (!isCommand)
            {
                bytes[..size].CopyTo(rented.AsSpan(length));
                length += size;
            }

            bytes = bytes[size..];
        }

        _queue.Add(source, rented.AsSpan(0, length), taken.Count);
        ArrayPool<byte>.Shared.Return(rented);
    }

    /// <summary>
    /// Counts the messages of one read. They are contiguous at the start of the bytes that were read, so they are
    /// copied together later.
    /// </summary>
    [StructLayout(LayoutKind.Auto)]
    private struct Taker(int room, long roomBytes) : IMessageTaker
    {
        internal int Count { get; private set; }

        internal int Size { get; private set; }

        internal bool HasRefused { get; private set; }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool TryTake(in ZmtpMessage message)
        {
            if (Count >= room || Size >= roomBytes)
            {
                HasRefused = true;
                return false;
            }

            Count++;
            Size += message.EncodedSize;
            return true;
        }
    }
}
