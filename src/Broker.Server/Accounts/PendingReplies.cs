using System.Buffers;
using System.Buffers.Text;
using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Broker.Server.Accounts;

/// <summary>
/// The requests of one account to services of others, by the reply subjects that the server made for them. Thread-safe. Bounded
/// in number and bytes: what is full loses the oldest.
/// </summary>
internal sealed class PendingReplies
{
    internal const int MostReplies = 65_536;
    internal const int MostBytes = 8 * 1024 * 1024;

    /// <summary>How long a subject is that <see cref="Add"/> makes.</summary>
    internal const int SubjectLength = PrefixLength + IdLength + 1 + TokenLength;

    private const int PrefixLength = 4;
    private const int IdLength = 8;
    private const int TokenLength = 22;
    private const int KeyBytes = 16;
    private const int MostSpare = 1024;

    // Who answers by another's subject must have guessed 128 bits. Taken from the system's source many at a time.
    private const int KeysAtATime = 64;

    private readonly Lock _gate = new();
    private readonly Dictionary<UInt128, PendingReply> _replies = [];
    private readonly byte[] _random = new byte[KeysAtATime * KeyBytes];
    private readonly byte[] _head;
    private int _randomLeft;
    private int _bytes;
    private int _spares;
    private PendingReply? _oldest;
    private PendingReply? _newest;
    private PendingReply? _spare;

    internal PendingReplies()
        => _head = [.. "_R_."u8, .. System.Text.Encoding.ASCII.GetBytes(RandomNumberGenerator.GetHexString(IdLength)), (byte)'.'];

    /// <summary>The filter of its subjects.</summary>
    internal byte[] Filter => [.. _head, (byte)'*'];

    internal int Count
    {
        get
        {
            lock (_gate)
            {
                return _replies.Count;
            }
        }
    }

    /// <summary>Remembers a request, and writes the subject that it is to be answered by.</summary>
    internal void Add(Account exporter, ReadOnlySpan<byte> reply, ServiceResponse response, long lifetime, long now, Span<byte> subject)
    {
        lock (_gate)
        {
            if (_randomLeft == 0)
            {
                RandomNumberGenerator.Fill(_random);
                _randomLeft = _random.Length;
            }

            Span<byte> token = _random.AsSpan(_randomLeft -= KeyBytes, KeyBytes);
            _head.CopyTo(subject);
            Base64Url.EncodeToUtf8(token, subject[_head.Length..]);
            while (_oldest is not null && (_replies.Count == MostReplies || _bytes + reply.Length > MostBytes))
            {
                Remove(_oldest);
            }

            PendingReply pending = _spare ?? new PendingReply();
            if (_spare is not null)
            {
                _spare = pending.Older;
                _spares--;
            }

            pending.Begin(MemoryMarshal.Read<UInt128>(token), exporter, reply, response, lifetime, now);
            token.Clear();
            _bytes += reply.Length;
            _replies.Add(pending.Key, pending);
            pending.Older = _newest;
            pending.Newer = null;
            if (_newest is null)
            {
                _oldest = pending;
            }
            else
            {
                _newest.Newer = pending;
            }

            _newest = pending;
        }
    }

    /// <summary>Takes back what <see cref="Add"/> has made.</summary>
    internal void Remove(ReadOnlySpan<byte> subject)
    {
        lock (_gate)
        {
            if (Find(subject) is { } pending)
            {
                Remove(pending);
            }
        }
    }

    /// <summary>Where an answer goes, in the account that asked. Null when nobody waits for it.</summary>
    /// <param name="subject">What it was published to.</param>
    /// <param name="from">The account it was published in.</param>
    /// <param name="isEmpty">Whether it has no payload.</param>
    /// <param name="now">The loop's tick.</param>
    /// <param name="length">How much of the result is the subject.</param>
    /// <returns>Rented from the shared pool; the caller returns it.</returns>
    internal byte[]? Take(ReadOnlySpan<byte> subject, Account from, bool isEmpty, long now, out int length)
    {
        lock (_gate)
        {
            length = 0;
            if (Find(subject) is not { } pending || pending.Exporter != from || pending.Until < now)
            {
                return null;
            }

            length = pending.Reply.Length;
            byte[] reply = ArrayPool<byte>.Shared.Rent(length);
            pending.Reply.CopyTo(reply);
            if (pending.Response == ServiceResponse.Once || isEmpty)
            {
                Remove(pending);
            }
            else
            {
                pending.Until = now + pending.Lifetime;
            }

            return reply;
        }
    }

    /// <summary>Forgets those that have waited too long. True while there are others.</summary>
    internal bool Sweep(long now)
    {
        lock (_gate)
        {
            for (PendingReply? at = _oldest; at is not null;)
            {
                PendingReply? newer = at.Newer;
                if (at.Until < now)
                {
                    Remove(at);
                }

                at = newer;
            }

            return _replies.Count != 0;
        }
    }

    private PendingReply? Find(ReadOnlySpan<byte> subject)
    {
        Span<byte> key = stackalloc byte[KeyBytes];
        return subject.Length == SubjectLength
            && Base64Url.DecodeFromUtf8(subject[_head.Length..], key, out int read, out int written) == OperationStatus.Done
            && read == TokenLength && written == KeyBytes
            && _replies.TryGetValue(MemoryMarshal.Read<UInt128>(key), out PendingReply? pending)
            ? pending
            : null;
    }

    private void Remove(PendingReply pending)
    {
        _replies.Remove(pending.Key);
        _bytes -= pending.Reply.Length;
        if (pending.Older is null)
        {
            _oldest = pending.Newer;
        }
        else
        {
            pending.Older.Newer = pending.Newer;
        }

        if (pending.Newer is null)
        {
            _newest = pending.Older;
        }
        else
        {
            pending.Newer.Older = pending.Older;
        }

        pending.Newer = null;
        pending.Older = null;
        if (_spares < MostSpare)
        {
            pending.End();
            pending.Older = _spare;
            _spare = pending;
            _spares++;
        }
    }
}
