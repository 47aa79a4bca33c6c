namespace Broker.ZeroMq;

/// <summary>Copies a received frame into an array that the program gets.</summary>
internal static class FrameArray
{
    /// <summary>
    /// Returns a copy. Unlike <see cref="ReadOnlySpan{T}.ToArray"/> this does not fill a large array with zeros first.
    /// </summary>
    internal static byte[] Of(ReadOnlySpan<byte> frame)
    {
        if (frame.IsEmpty)
        {
            return [];
        }

        byte[] copy = GC.AllocateUninitializedArray<byte>(frame.Length);
        frame.CopyTo(copy);
        return copy;
    }
}
