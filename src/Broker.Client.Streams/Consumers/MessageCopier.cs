using System.Text;

namespace Broker.Client.Streams;

/// <summary>
/// Makes owned copies of delivered messages. Small messages share an array, which saves the header of an array for each
/// of them. Used on the connection's loop.
/// </summary>
/// <param name="api">The connection and the time limit of confirmed acknowledgements.</param>
/// <param name="stream">The name of the stream.</param>
/// <param name="consumer">The name of the consumer.</param>
internal sealed class MessageCopier(StreamsApi api, string stream, string consumer)
{
    // A message that is kept keeps at most this much memory of its neighbours.
    private const int SharedSize = 8 * 1024;
    private const int MostShared = SharedSize / 4;

    // The first arrays are small, because a reader may want one message only.
    private const int FirstSize = 256;

    private MessageOrigin _origin = new(api, stream, consumer, []);
    private byte[] _shared = [];

    // The subject of the last message, which the next one often has too.
    private ReadOnlyMemory<byte> _subject;
    private int _used;

    /// <summary>Copies a message. Returns false if the reply subject is not that of a delivered message.</summary>
    internal bool TryCopy(in MessageView view, out StreamMessage message)
    {
        message = default;
        if (!DeliveryNumbers.TryRead(view.ReplyTo, out DeliveryNumbers numbers, out int prefix))
        {
            return false;
        }

        ReadOnlySpan<byte> reply = view.ReplyTo;
        if (prefix > 0)
        {
            if (!_origin.Prefix.SequenceEqual(reply[..prefix]))
            {
                // The names are those of the subject: $JS.ACK.stream.consumer.
                string[] tokens = Encoding.UTF8.GetString(reply[..prefix]).Split('.');
                _origin = new MessageOrigin(api, tokens[2], tokens[3], reply[..prefix].ToArray());
            }

            reply = default;
        }

        if (!_subject.Span.SequenceEqual(view.Subject))
        {
            (byte[] subject, int begin) = Take(view.Subject.Length);
            view.Subject.CopyTo(subject.AsSpan(begin));
            _subject = subject.AsMemory(begin, view.Subject.Length);
        }

        int length = reply.Length + view.Headers.Length + view.Body.Length;
        (byte[] bytes, int start) = Take(length);
        Span<byte> copy = bytes.AsSpan(start, length);
        reply.CopyTo(copy);
        view.Headers.CopyTo(copy[reply.Length..]);
        view.Body.CopyTo(copy[(length - view.Body.Length)..]);
        int size = view.Subject.Length + view.ReplyTo.Length + view.Headers.Length + view.Body.Length;
        message = new StreamMessage(
            _origin, _subject, bytes, start, new MessageLengths(reply.Length, view.Headers.Length, view.Body.Length), size, in numbers);
        api.Counters.Receive(numbers.Delivered);
        return true;
    }

    private (byte[] Bytes, int Start) Take(int length)
    {
        if (length > MostShared)
        {
            return (GC.AllocateUninitializedArray<byte>(length), 0);
        }

        if (_shared.Length - _used < length)
        {
            int size = Math.Clamp(_shared.Length * 2, FirstSize, SharedSize);
            _shared = GC.AllocateUninitializedArray<byte>(Math.Max(size, length));
            _used = 0;
        }

        int start = _used;
        _used += length;
        return (_shared, start);
    }
}
