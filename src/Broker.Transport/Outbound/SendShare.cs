namespace Broker.Transport;

/// <summary>
/// Limits how much one iteration of a loop sends from long queues. Connections with long queues divide
/// <see cref="BytesPerIteration"/> among themselves, so that other connections do not wait for many large sends. Not
/// thread-safe: only the loop uses this object.
/// </summary>
/// <remarks>
/// The number of these connections is known only at the end of an iteration, so each iteration uses the number of the
/// iteration before. If there are more, the additional connections send <see cref="MinBytes"/> each.
/// </remarks>
internal sealed class SendShare
{
    /// <summary>
    /// The approximate number of bytes that all long queues together may send in one iteration. Without this limit, a
    /// peer that accepts bytes as fast as they are sent would occupy the loop until its queue is empty. A flush that
    /// adds more bytes than this may send as many bytes as it adds. Otherwise the queue would grow although the peer
    /// accepts all bytes.
    /// </summary>
    internal const int BytesPerIteration = 512 * 1024;

    /// <summary>
    /// The smallest share of a connection. Smaller sends would cost more system calls than they save time.
    /// </summary>
    internal const int MinBytes = 16 * 1024;

    private int _senders;
    private int _share = BytesPerIteration;
    private int _left = BytesPerIteration;

    /// <summary>Called when the next iteration begins.</summary>
    internal void BeginIteration()
    {
        if (_left == BytesPerIteration)
        {
            // Nobody asked in the last iteration.
            _share = BytesPerIteration;
            return;
        }

        _share = Math.Max(BytesPerIteration / _senders, MinBytes);
        _left = BytesPerIteration;
        _senders = 0;
    }

    /// <summary>Returns the number of bytes that a connection with a long queue may send now.</summary>
    internal int Take()
    {
        _senders++;
        int share = Math.Max(Math.Min(_share, _left), MinBytes);
        _left = Math.Max(_left - share, 0);
        return share;
    }
}
