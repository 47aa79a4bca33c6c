using System.Buffers;
using System.Numerics;

namespace Broker.Transport;

/// <summary>
/// The arrays for unconsumed bytes. Arrays for small messages are rented from <see cref="ArrayPool{T}.Shared"/>. An
/// array for a large message is as large as the message, rounded up to a page: the shared array pool would double the
/// memory of a message of slightly more than 1 MiB. A few large arrays are kept, and a message may get one that is
/// larger than necessary. Not thread-safe: only one loop uses it, and after the end of the loop the thread that ends
/// the loop's last connections.
/// </summary>
internal sealed class ReceiveArrays
{
    private const int Page = 4096;
    private const int MostKept = 4;
    private const int LargestKeptPart = 64;
    private const int MostKeptBytes = 32 * 1024 * 1024;

    private static readonly long KeptBytes = Math.Min(MostKeptBytes, HeapLimit.Available() / LargestKeptPart);

    // Without the kept arrays, each message of a new size would be allocated on the large-object heap. Measured with
    // random sizes of 70 to 900 KB, a message costs 600 µs of processor time with these arrays. It costs 1,600 µs if an
    // array is only used again for the same size.
    private readonly byte[]?[] _kept = new byte[]?[MostKept];

    /// <summary>Returns the size of the array that <see cref="Rent"/> returns for a message.</summary>
    internal static int Round(int size) => size <= ReceiveBudget.LargestShared
        ? (int)BitOperations.RoundUpToPowerOf2((uint)size)
        : (int)Math.Min(((long)size + Page - 1) / Page * Page, Array.MaxLength);

    internal byte[] Rent(int size)
    {
        if (size <= ReceiveBudget.LargestShared)
        {
            return ArrayPool<byte>.Shared.Rent(size);
        }

        size = Round(size);
        return TakeKept(size) ?? GC.AllocateUninitializedArray<byte>(size);
    }

    internal void Return(byte[] array)
    {
        if (array.Length <= ReceiveBudget.LargestShared)
        {
            ArrayPool<byte>.Shared.Return(array);
        }
        else if (array.Length <= KeptBytes / MostKept)
        {
            Keep(array);
        }
    }

    // Takes the smallest kept array that is large enough.
    private byte[]? TakeKept(int size)
    {
        int best = -1;
        for (int i = 0; i < _kept.Length; i++)
        {
            if (_kept[i]?.Length >= size && (best < 0 || _kept[i]!.Length < _kept[best]!.Length))
            {
                best = i;
            }
        }

        byte[]? found = best < 0 ? null : _kept[best];
        if (found is not null)
        {
            _kept[best] = null;
        }

        return found;
    }

    // Keeps the array in a free place, or in place of the smallest kept array.
    private void Keep(byte[] array)
    {
        int smallest = 0;
        for (int i = 1; i < _kept.Length; i++)
        {
            if ((_kept[i]?.Length ?? 0) < (_kept[smallest]?.Length ?? 0))
            {
                smallest = i;
            }
        }

        if ((_kept[smallest]?.Length ?? 0) < array.Length)
        {
            _kept[smallest] = array;
        }
    }
}
