using System.Buffers;
using System.Buffers.Text;
using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Broker.Server;

/// <summary>
/// The requests of one account that wait for replies from services of other accounts. The server creates a reply
/// subject for each request and finds the request by this subject. The number of requests and their bytes are limited:
/// when a limit is reached, the oldest request is dropped. Thread-safe.
/// </summary>
internal sealed class ForwardedRequests
{
    internal const int MaxRequests = 65_536;
    internal const int MaxBytes = 8 * 1024 * 1024;

    /// <summary>The length of a reply subject that <see cref="Add"/> writes.</summary>
    internal const int SubjectLength = PrefixLength + IdLength + 1 + TokenLength;

    private const int PrefixLength = 4;
    private const int IdLength = 8;
    private const int TokenLength = 22;
    private const int KeyBytes = 16;
    private const int MaxSpare = 1024;

    // A reply subject contains 128 random bits, so nobody can guess it. The random bytes for many reply subjects are
    // generated at once.
    private const int KeysAtATime = 64;

    private readonly Lock _gate = new();
    private readonly Dictionary<UInt128, ForwardedRequest> _replies = [];
    private readonly byte[] _random = new byte[KeysAtATime * KeyBytes];
    private readonly byte[] _head;
    private int _randomLeft;
    private int _bytes;
    private int _spares;
    private ForwardedRequest? _oldest;
    private ForwardedRequest? _newest;
    private ForwardedRequest? _spare;

    internal ForwardedRequests()
        => _head = System.Text.Encoding.ASCII.GetBytes($"_R_.{RandomNumberGenerator.GetHexString(IdLength)}.");

    /// <summary>The filter that matches the reply subjects of this account.</summary>
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

    /// <summary>Stores a request and writes the reply subject that the responder receives.</summary>
    internal void Add(
        Account exporter,
        ReadOnlySpan<byte> reply,
        ServiceResponse response,
        long lifetime,
        long now,
        Span<byte> subject)
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
            while (_oldest is not null && (_replies.Count == MaxRequests || _bytes + reply.Length > MaxBytes))
            {
                Remove(_oldest);
            }

            ForwardedRequest pending = _spare ?? new ForwardedRequest();
            if (_spare is not null)
            {
                _spare = pending.Older;
                _spares--;
            }

            pending.Set(MemoryMarshal.Read<UInt128>(token), exporter, reply, response, lifetime, now);
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

    /// <summary>Removes a request by the reply subject that <see cref="Add"/> wrote.</summary>
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

    /// <summary>Finds the requester's reply subject for a received reply.</summary>
    /// <param name="subject">The subject that the reply was published to.</param>
    /// <param name="from">The account that the reply was published in.</param>
    /// <param name="isEmpty">Whether the reply has no payload.</param>
    /// <param name="now">The current tick of the loop.</param>
    /// <param name="length">The length of the subject in the returned array.</param>
    /// <returns>
    /// An array from the shared pool, which the caller must return to the pool; null if no request waits for this
    /// reply.
    /// </returns>
    internal byte[]? Take(ReadOnlySpan<byte> subject, Account from, bool isEmpty, long now, out int length)
    {
        lock (_gate)
        {
            length = 0;
            if (Find(subject) is not { } pending || pending.Exporter != from || pending.ExpiresAt < now)
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
                pending.ExpiresAt = now + pending.Lifetime;
            }

            return reply;
        }
    }

    /// <summary>Removes expired requests. Returns true if other requests remain.</summary>
    internal bool Sweep(long now)
    {
        lock (_gate)
        {
            for (ForwardedRequest? at = _oldest; at is not null;)
            {
                ForwardedRequest? newer = at.Newer;
                if (at.ExpiresAt < now)
                {
                    Remove(at);
                }

                at = newer;
            }

            return _replies.Count != 0;
        }
    }

    private ForwardedRequest? Find(ReadOnlySpan<byte> subject)
    {
        Span<byte> key = stackalloc byte[KeyBytes];
        if (subject.Length != SubjectLength)
        {
            return null;
        }

        OperationStatus status = Base64Url.DecodeFromUtf8(subject[_head.Length..], key, out int read, out int written);
        return status == OperationStatus.Done && read == TokenLength && written == KeyBytes
            && _replies.TryGetValue(MemoryMarshal.Read<UInt128>(key), out ForwardedRequest? pending)
            ? pending
            : null;
    }

    private void Remove(ForwardedRequest pending)
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
        if (_spares < MaxSpare)
        {
            pending.Clear();
            pending.Older = _spare;
            _spare = pending;
            _spares++;
        }
    }
}
