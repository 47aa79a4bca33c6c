using Broker.Protocol.Subjects;

namespace Broker.Server.Accounts;

/// <summary>One import, checked: who imports what from whom, and by which export it may.</summary>
/// <param name="Importer">The account that imports.</param>
/// <param name="Import">As it was given.</param>
/// <param name="Export">What permits it.</param>
/// <param name="Mapping">What the subjects are called.</param>
internal sealed record ImportLink(string Importer, AccountImport Import, AccountExport Export, SubjectMapping Mapping)
{
    internal bool IsService => Import is ServiceImport;

    /// <summary>Whether a message that comes by this one may go on by the other.</summary>
    internal bool LeadsTo(ImportLink next)
        => IsService == next.IsService && string.Equals(Import.Account, next.Importer, StringComparison.Ordinal)
            && Overlap(Mapping.Remote, next.Mapping.Local);

    /// <summary>Whether there is a subject that both filters match.</summary>
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

            if (left.Current is not [Subject.AnyToken] && right.Current is not [Subject.AnyToken] && !left.Current.SequenceEqual(right.Current))
            {
                return false;
            }
        }
    }

    /// <summary>Whether whatever <paramref name="filter"/> matches is matched by the export.</summary>
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

            if (narrow.Current is [Subject.AnyTail] || (wide.Current is not [Subject.AnyToken] && !wide.Current.SequenceEqual(narrow.Current)))
            {
                return false;
            }
        }

        return !wide.MoveNext();
    }
}
