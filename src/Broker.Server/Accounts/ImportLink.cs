using Broker.Protocol;

namespace Broker.Server;

/// <summary>A checked import with the export that permits it.</summary>
/// <param name="Importer">The name of the importing account.</param>
/// <param name="Import">The configured import.</param>
/// <param name="Export">The export that permits the import.</param>
/// <param name="Mapping">The mapping between the subjects of the two accounts.</param>
internal sealed record ImportLink(string Importer, AccountImport Import, AccountExport Export, ImportMapping Mapping)
{
    internal bool IsService => Import is ServiceImport;

    /// <summary>Whether a message that has passed this import can then pass <paramref name="next"/>.</summary>
    internal bool LeadsTo(ImportLink next)
        => IsService == next.IsService && string.Equals(Import.Account, next.Importer, StringComparison.Ordinal)
            && Overlap(Mapping.Remote, next.Mapping.Local);

    /// <summary>Whether a subject exists that both filters match.</summary>
    internal static bool Overlap(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other)
    {
        var left = new TokenEnumerator(one);
        var right = new TokenEnumerator(other);
        while (true)
        {
            bool more = left.MoveNext();
            if (more != right.MoveNext())
            {
                return false;
            }

            if (!more || left.Current is [Subject.AnyTail] || right.Current is [Subject.AnyTail])
            {
                return true;
            }

            if (left.Current is not [Subject.AnyToken] && right.Current is not [Subject.AnyToken]
                && !left.Current.SequenceEqual(right.Current))
            {
                return false;
            }
        }
    }

    /// <summary>Whether the export matches every subject that <paramref name="filter"/> matches.</summary>
    internal static bool Covers(ReadOnlySpan<byte> export, ReadOnlySpan<byte> filter)
    {
        var wide = new TokenEnumerator(export);
        var narrow = new TokenEnumerator(filter);
        while (narrow.MoveNext())
        {
            if (!wide.MoveNext())
            {
                return false;
            }

            if (wide.Current is [Subject.AnyTail])
            {
                return true;
            }

            if (narrow.Current is [Subject.AnyTail]
                || (wide.Current is not [Subject.AnyToken] && !wide.Current.SequenceEqual(narrow.Current)))
            {
                return false;
            }
        }

        return !wide.MoveNext();
    }
}
