using System.Text;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// The messages that were published while no server was connected, for the next server. Requests that are no longer
/// pending by then are removed. Used under the gate.
/// </summary>
/// <param name="limit">The largest size in bytes.</param>
/// <param name="inbox">The prefix of the requests' reply subjects, which a <see cref="RequestToken"/> follows.</param>
/// <param name="isAwaited">Returns whether the request of this number is still pending.</param>
internal sealed class ReconnectBuffer(int limit, string inbox, Func<long, bool> isAwaited)
{
    private readonly CommandBuffer _commands = new(limit);
    private readonly byte[] _inbox = Encoding.UTF8.GetBytes(inbox);

    // Whether the buffer may contain requests that are no longer pending.
    private bool _mayHaveCancelled;

    /// <summary>The number of buffered messages.</summary>
    internal int Messages => _commands.Messages;

    /// <summary>The number of buffered protocol bytes.</summary>
    internal int Length => _commands.Length;

    /// <summary>
    /// The number of buffered messages that will not be sent, because no server came or because the request was no
    /// longer pending.
    /// </summary>
    internal long NeverSent { get; private set; }

    /// <summary>
    /// The number of requests in <see cref="NeverSent"/> that were no longer pending. Their callers have got an error.
    /// </summary>
    internal long Cancelled { get; private set; }

    /// <summary>The number of messages that were still buffered when the connection closed.</summary>
    internal long Dropped { get; private set; }

    /// <summary>
    /// Returns space for a command of <paramref name="size"/> bytes. The span is empty if the command would exceed the
    /// limit.
    /// </summary>
    internal Span<byte> GetSpan(int size, ReadOnlySpan<byte> replyTo)
    {
        long request = RequestNumber(replyTo);
        Span<byte> space = _commands.GetSpan(size, request);
        if (space.IsEmpty && _mayHaveCancelled)
        {
            RemoveCancelled();
            space = _commands.GetSpan(size, request);
        }

        return space;
    }

    internal void Advance(int count) => _commands.Advance(count);

    /// <summary>
    /// Records that a request has failed while no server was connected, so that it is not sent to the next server.
    /// </summary>
    internal void NoteCancelledRequest() => _mayHaveCancelled = true;

    /// <summary>
    /// Writes the messages for a server, except the messages that the server would not accept. A server closes the
    /// connection after a message that it does not accept, and then the messages behind that message would be lost too.
    /// </summary>
    /// <param name="buffer">The server's buffer.</param>
    /// <param name="maxPayload">The largest payload that the server accepts.</param>
    /// <param name="headers">Whether the server accepts headers.</param>
    /// <returns>The messages that were not written. Null if all messages were written.</returns>
    internal List<RefusedCommand>? MoveTo(LoopWriteBuffer buffer, int maxPayload, bool headers)
    {
        RemoveCancelled();
        List<RefusedCommand>? refused = _commands.RemoveRefused(maxPayload, headers);
        NeverSent += refused?.Count ?? 0;
        _commands.MoveTo(buffer);
        return refused;
    }

    /// <summary>Discards all messages, because the connection is closing.</summary>
    internal void Drop()
    {
        RemoveCancelled();
        Dropped += _commands.Messages;
        NeverSent += _commands.Messages;
        _commands.Clear();
    }

    private void RemoveCancelled()
    {
        if (_mayHaveCancelled)
        {
            _mayHaveCancelled = false;
            int removed = _commands.RemoveCancelled(isAwaited);
            NeverSent += removed;
            Cancelled += removed;
        }
    }

    // Returns 0 if the command is not a request.
    private long RequestNumber(ReadOnlySpan<byte> replyTo)
        => replyTo.StartsWith(_inbox) && RequestToken.TryRead(replyTo[_inbox.Length..], out _, out long number) ? number : 0;
}
