using System.Buffers;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// A message that a part of its subscribers has not received yet. It owns a copy of the message, because the received
/// bytes are valid only until the first part of the delivery returns, and the publisher may disconnect.
/// </summary>
internal sealed class PendingDelivery
{
    private const int EndLength = 2;

    // A copy up to this size replaces a receive buffer that was not counted either.
    private const int Uncounted = 4096;

    private readonly byte[] _bytes;
    private readonly int _subject;
    private readonly int _reply;
    private readonly int _header;
    private readonly int _payload;
    private readonly int _tail;
    private RouteCursor _cursor;

    /// <param name="message">The message.</param>
    /// <param name="cursor">The first subscriber that has not received it.</param>
    /// <param name="imports">The number of nested publishes that led to this one.</param>
    /// <param name="budget">Counts the memory until <see cref="Release"/>.</param>
    internal PendingDelivery(in RoutedMessage message, in RouteCursor cursor, int imports, ReceiveBudget budget)
    {
        _cursor = cursor;
        Imports = imports;
        (_subject, _reply, _header) = (message.Subject.Length, message.ReplyTo.Length, message.HeaderLength);
        (_payload, _tail) = (message.Payload.Length, message.Tail.Length);
        // A tail contains the payload.
        ReadOnlySpan<byte> rest = message.Tail.IsEmpty ? message.Payload : message.Tail;
        _bytes = ArrayPool<byte>.Shared.Rent(_subject + _reply + rest.Length);
        message.Subject.CopyTo(_bytes);
        message.ReplyTo.CopyTo(_bytes.AsSpan(_subject));
        rest.CopyTo(_bytes.AsSpan(_subject + _reply));
        if (_bytes.Length > Uncounted)
        {
            budget.Add(_bytes.Length);
        }
    }

    /// <summary>
    /// The number of nested publishes that led to this one: through imports, as the reply to an imported request, or by
    /// the server itself. 0 if the client published the message directly.
    /// </summary>
    internal int Imports { get; }

    /// <summary>The number of subscribers that have received the message.</summary>
    internal int Delivered { get; set; }

    /// <summary>The subscribers that have not received the message.</summary>
    internal ref RouteCursor Cursor => ref _cursor;

    /// <summary>The message. Its spans are valid until <see cref="Release"/>.</summary>
    internal RoutedMessage Message
    {
        get
        {
            ReadOnlySpan<byte> subject = _bytes.AsSpan(0, _subject);
            ReadOnlySpan<byte> reply = _bytes.AsSpan(_subject, _reply);
            int start = _subject + _reply;
            return _tail == 0
                ? new RoutedMessage(subject, reply, _header, _bytes.AsSpan(start, _payload))
                : new RoutedMessage(
                    subject, reply, _header, _bytes.AsSpan(start + _tail - EndLength - _payload, _payload), _bytes.AsSpan(start, _tail));
        }
    }

    /// <summary>Releases the copy of the message.</summary>
    internal void Release(ReceiveBudget budget)
    {
        if (_bytes.Length > Uncounted)
        {
            budget.Add(-_bytes.Length);
        }

        ArrayPool<byte>.Shared.Return(_bytes);
    }
}
