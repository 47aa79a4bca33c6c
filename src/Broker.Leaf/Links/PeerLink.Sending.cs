using Broker.Protocol;
using Broker.Server;
using Broker.Transport;

namespace Broker.Leaf;

// The path of messages to the remote. It runs on the loops of the publishers.
internal abstract partial class PeerLink
{
    // A longer subject is rare, and an array is allocated for it.
    private const int MaxStackBytes = 512;

    public bool OnMessage(in RemoteMessage message, EventLoop loop)
    {
        if (_output is not { Connection.IsOpen: true } output)
        {
            // The remote has just disconnected, and its interest is being removed.
            CountLost("it is not connected");
            return false;
        }

        ReadOnlySpan<byte> payload = message.Payload;
        int headers = message.HeaderLength;
        if (headers != 0 && !output.Headers)
        {
            payload = payload[headers..];
            headers = 0;
        }

        if (payload.Length > output.MaxPayload)
        {
            // The remote would close the link.
            CountLost($"a message exceeds the remote's maximum payload of {output.MaxPayload} bytes");
            return false;
        }

        ReadOnlySpan<byte> subject = message.Subject;
        if (Replies.HasAny && Replies.TryFind(subject, out byte[]? full))
        {
            subject = full;
        }

        if (output.JetStream is { } jetStream && subject[0] == (byte)'$')
        {
            int room = subject.Length + jetStream.MaxGrowth;
            Span<byte> renamed = room <= MaxStackBytes ? stackalloc byte[MaxStackBytes] : new byte[room];
            int length = jetStream.Map(subject, renamed);
            if (length != 0)
            {
                return output.Permissions.MaySend(renamed[..length]) && Write(output, renamed[..length], headers, payload, in message, loop);
            }
        }

        return Write(output, subject, headers, payload, in message, loop);
    }

    private bool Write(
        LinkOutput output, ReadOnlySpan<byte> subject, int headers, ReadOnlySpan<byte> payload, in RemoteMessage message, EventLoop loop)
    {
        int most = subject.Length + message.ReplyTo.Length + message.QueueGroups.Length + payload.Length + LeafOperationWriter.LineOverhead;
        Connection connection = output.Connection;
        if (connection.BufferedBytes + connection.GetUnflushedBytes(loop) + most > _maxPendingBytes)
        {
            CountLost("more bytes than MaxPendingBytes wait for it");
            return false;
        }

        LoopWriteBuffer buffer = connection.GetWriteBuffer(loop);
        buffer.Advance(LeafOperationWriter.Message(
            buffer.GetSpan(most), subject, message.ReplyTo, message.QueueGroups, headers, payload));
        _counters.CountSent(loop, payload.Length);
        return true;
    }

    /// <summary>Counts messages that were written and not sent. Any thread may call this.</summary>
    internal void CountUnsent(long messages)
    {
        if (messages != 0)
        {
            _counters.CountLost(messages);
        }
    }

    private void CountLost(string reason)
    {
        _counters.CountLost(1);
        if (!_isLosing)
        {
            _isLosing = true;
            Log.MessagesLost(PeerText, reason);
        }
    }
}
