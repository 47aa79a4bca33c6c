namespace Broker.Streams;

/// <summary>
/// Finds the salt of a segment whose header and index are lost. A checksum has one seed for each result, so the head of a
/// record says which salt it would need, and the checksum of its body tells whether that is the salt.
/// </summary>
internal static class SaltSearch
{
    internal static bool TryFind(ReadOnlySpan<byte> data, out uint salt)
    {
        salt = 0;
        for (int at = SegmentHeader.Length; at <= data.Length - RecordHead.Length; at++)
        {
            // The size of a record is not zero, so one of its four bytes is not.
            int zeros = data[at..].IndexOfAnyExcept((byte)0);
            if (zeros < 0)
            {
                return false;
            }

            at += Math.Max(0, zeros - sizeof(int) + 1);
            ReadOnlySpan<byte> rest = data[at..];
            if (rest.Length < RecordHead.Length || !RecordHead.IsPossible(rest))
            {
                continue;
            }

            uint seed = RecordHead.SeedOf(rest);
            if (RecordHead.TryRead(rest, seed, out RecordHead head) && head.IsWhole(rest, seed))
            {
                salt = seed;
                return true;
            }
        }

        return false;
    }
}
