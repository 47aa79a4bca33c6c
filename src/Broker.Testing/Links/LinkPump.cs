using System.Net.Sockets;
using System.Threading.Channels;

namespace Broker.Testing;

/// <summary>
/// Carries the bytes of one direction of a connection. The pump buffers a limited number of bytes and then blocks the
/// sender.
/// </summary>
internal sealed class LinkPump(
    LinkFaults faults, LinkDirection direction, Socket from, Socket to, LinkConnection connection, CancellationToken ending)
{
    private const int PieceSize = 16 * 1024;
    private const int MostPieces = 16;

    private readonly Channel<Piece> _pieces = Channel.CreateBounded<Piece>(
        new BoundedChannelOptions(MostPieces) { SingleReader = true, SingleWriter = true });

    private volatile bool _discards;

    internal async Task RunAsync()
    {
        Task sending = SendAsync();
        await ReceiveAsync().ConfigureAwait(false);
        await sending.ConfigureAwait(false);
    }

    /// <summary>Discards all bytes from now on.</summary>
    internal void Discard() => _discards = true;

    /// <summary>Ends the stream to the receiver and discards all later bytes.</summary>
    internal void EndOutput()
    {
        Discard();
        Shutdown();
    }

    private async Task ReceiveAsync()
    {
        try
        {
            while (true)
            {
                byte[] bytes = new byte[PieceSize];
                int count = await from.ReceiveAsync(bytes, ending).ConfigureAwait(false);
                if (count == 0)
                {
                    break;
                }

                await _pieces.Writer.WriteAsync(new Piece(bytes.AsMemory(0, count), faults.Time.GetTimestamp(), faults.Delay), ending).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (IsEnd(e))
        {
            // A reset at one end becomes a reset at the other end, unless the link has ended this direction itself.
            if (!_discards)
            {
                // A stall delays the reset too, unless the link is disposed.
                await faults.PassableAsync(direction).WaitAsync(ending).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                connection.Abort();
            }
        }

        _pieces.Writer.TryComplete();
    }

    private async Task SendAsync()
    {
        try
        {
            await foreach (Piece piece in _pieces.Reader.ReadAllAsync(ending).ConfigureAwait(false))
            {
                await DelayAsync(piece).ConfigureAwait(false);
                await PassAsync(piece.Bytes).ConfigureAwait(false);
            }

            // A stall delays the end of the stream, as it delays all bytes.
            await faults.PassableAsync(direction).WaitAsync(ending).ConfigureAwait(false);
            Shutdown();
        }
        catch (Exception e) when (IsEnd(e))
        {
            // The receiver has closed the connection, or the link is disposed. The remaining bytes cannot be sent.
            Discard();
            await foreach (Piece _ in _pieces.Reader.ReadAllAsync(CancellationToken.None).ConfigureAwait(false))
            {
            }
        }
    }

    private async Task DelayAsync(Piece piece)
    {
        while (!_discards && piece.Delay - faults.Time.GetElapsedTime(piece.Received) is { Ticks: > 0 } left)
        {
            // A system timer may fire a little early, and a delay of less than a millisecond sets no timer.
            await Task.Delay(left < TimeSpan.FromMilliseconds(1) ? TimeSpan.FromMilliseconds(1) : left, faults.Time, ending).ConfigureAwait(false);
        }
    }

    private async Task PassAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!_discards)
        {
            (int allowed, LinkFaults.Limit? reached, Task? stall) = faults.Take(direction, bytes.Length);
            if (stall is not null)
            {
                await stall.WaitAsync(ending).ConfigureAwait(false);
                continue;
            }

            for (ReadOnlyMemory<byte> left = bytes[..allowed]; !left.IsEmpty;)
            {
                left = left[await to.SendAsync(left, ending).ConfigureAwait(false)..];
            }

            if (reached is { Cuts: true })
            {
                connection.CutBehind(direction);
            }

            reached?.Done.TrySetResult();
            bytes = bytes[allowed..];
            if (bytes.IsEmpty)
            {
                return;
            }
        }
    }

    private void Shutdown()
    {
        try
        {
            to.Shutdown(SocketShutdown.Send);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The stream has already ended.
        }
    }

    private static bool IsEnd(Exception e) => e is SocketException or ObjectDisposedException or OperationCanceledException;

    private readonly record struct Piece(ReadOnlyMemory<byte> Bytes, long Received, TimeSpan Delay);
}
