using System.Buffers;
using System.Numerics;

namespace Broker.Transport;

/// <summary>
/// The arrays of unconsumed bytes. Those for small messages are rented from the shared pool. One for a large message is
/// as large as the message, rounded up to a page: the shared pool would double the memory of a message of 1 MiB.
/// </summary>
internal static class ReceiveArrays
{
    private const int Page = 4096;
    private const int MostKept = 4;
    private const int LargestKeptPart = 64;
    private const int MostKeptBytes = 32 * 1024 * 1024;

    // A thread keeps a few arrays: messages that follow each other often have the same size.
    [ThreadStatic]
    private static byte[]?[]? t_kept;

    [ThreadStatic]
    private static int t_next;

    private static readonly long KeptBytes = Math.Min(MostKeptBytes, HeapLimit.Available() / LargestKeptPart);

    /// <summary>The size of the array that <see cref="Rent"/> returns.</summary>
    internal static int Round(int size) => size <= ReceiveBudget.LargestShared
        ? (int)BitOperations.RoundUpToPowerOf2((uint)size)
        : (int)Math.Min(((long)size + Page - 1) / Page * Page, Array.MaxLength);

    internal static byte[] Rent(int size)
    {
        if (size <= ReceiveBudget.LargestShared)
        {
            return ArrayPool<byte>.Shared.Rent(size);
        }

        size = Round(size);
        if (t_kept is { } kept)
        {
            for (int i = 0; i < kept.Length; i++)
            {
                if (kept[i] is { } array && array.Length == size)
                {
                    kept[i] = null;
                    return array;
                }
            }
        }

        return GC.AllocateUninitializedArray<byte>(size);
    }

    internal static void Return(byte[] array)
    {
        if (array.Length <= ReceiveBudget.LargestShared)
        {
            ArrayPool<byte>.Shared.Return(array);
        }
        else if (array.Length <= KeptBytes / MostKept)
        {
            byte[]?[] kept = t_kept ??= new byte[]?[MostKept];
            kept[t_next] = array;
            t_next = (t_next + 1) % MostKept;
        }
    }
}
