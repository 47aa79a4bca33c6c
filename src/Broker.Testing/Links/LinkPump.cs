using System.Net.Sockets;
using System.Threading.Channels;

namespace Broker.Testing.Links;

/// <summary>Carries the bytes of one direction of a connection. What is on its way is bounded; beyond that the sender is held up.</summary>
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

    /// <summary>Throws away what comes from now on.</summary>
    internal void Discard() => _discards = true;

    /// <summary>Tells the receiver that nothing more comes, and throws away what does.</summary>
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
            // A reset at one end is one at the other, unless the link has ended this direction itself.
            if (!_discards)
            {
                // Which a stall holds back as well, unless the link itself ends.
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
                await HoldBackAsync(piece).ConfigureAwait(false);
                await PassAsync(piece.Bytes).ConfigureAwait(false);
            }

            // The end is held back like all that comes before it.
            await faults.PassableAsync(direction).WaitAsync(ending).ConfigureAwait(false);
            Shutdown();
        }
        catch (Exception e) when (IsEnd(e))
        {
            // The receiver has gone, or the link ends. What is still received has nowhere to go.
            Discard();
            await foreach (Piece _ in _pieces.Reader.ReadAllAsync(CancellationToken.None).ConfigureAwait(false))
            {
            }
        }
    }

    private async Task HoldBackAsync(Piece piece)
    {
        while (!_discards && piece.Delay - faults.Time.GetElapsedTime(piece.Received) is { Ticks: > 0 } left)
        {
            // A timer of the system's may come a little early, and one of less than a millisecond is none.
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
            // It has ended already.
        }
    }

    private static bool IsEnd(Exception e) => e is SocketException or ObjectDisposedException or OperationCanceledException;

    private readonly record struct Piece(ReadOnlyMemory<byte> Bytes, long Received, TimeSpan Delay);
}
