namespace Broker.Streams;

/// <summary>An answer that waits until a record is on the disk. The object is used again.</summary>
internal sealed class PendingReply
{
    private byte[] _subject = [];
    private int _length;

    /// <summary>The reply subject; empty if nobody waits for the answer.</summary>
    internal ReadOnlySpan<byte> Subject => _subject.AsSpan(0, _length);

    /// <summary>The stream of a message; null for a request.</summary>
    internal ServedStream? Stream { get; set; }

    /// <summary>The id of the message; null without an id.</summary>
    internal DuplicateEntry? Id { get; set; }

    /// <summary>The next duplicate of the same message.</summary>
    internal PendingReply? Next { get; set; }

    /// <summary>Whether an acknowledgement is confirmed.</summary>
    internal bool IsConfirmation { get; set; }

    /// <summary>Continues a request; null for a message.</summary>
    internal Action<ulong, StoreOutcome>? Completed { get; set; }

    internal void SetSubject(ReadOnlySpan<byte> subject)
    {
        if (_subject.Length < subject.Length)
        {
            _subject = new byte[Math.Max(subject.Length, 64)];
        }

        subject.CopyTo(_subject);
        _length = subject.Length;
    }

    internal void Clear()
    {
        _length = 0;
        Stream = null;
        Id = null;
        Next = null;
        IsConfirmation = false;
        Completed = null;
    }
}
