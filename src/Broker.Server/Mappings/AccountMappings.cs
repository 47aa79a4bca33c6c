using Broker.Protocol;

namespace Broker.Server;

/// <summary>The subject mappings of one account. Immutable: a reload creates another object.</summary>
internal sealed class AccountMappings
{
    private readonly Dictionary<byte[], SubjectMapping> _exact;
    private readonly Dictionary<byte[], SubjectMapping>.AlternateLookup<ReadOnlySpan<byte>> _bySubject;
    private readonly SubjectMapping[] _wildcards;

    private AccountMappings(IReadOnlyList<SubjectMapping> mappings, ulong seed)
    {
        All = mappings;
        _exact = new Dictionary<byte[], SubjectMapping>(new ByteKeyComparer(seed));
        foreach (SubjectMapping mapping in mappings.Where(static m => !Subject.HasWildcard(m.Filter)))
        {
            _exact.Add(mapping.Filter, mapping);
        }

        _bySubject = _exact.GetAlternateLookup<ReadOnlySpan<byte>>();
        _wildcards = [.. mappings.Where(static m => Subject.HasWildcard(m.Filter))];
    }

    /// <summary>The mappings in the configured order.</summary>
    internal IReadOnlyList<SubjectMapping> All { get; }

    /// <summary>Creates an instance, or returns null if there are no mappings.</summary>
    /// <param name="mappings">The mappings. No two mappings may have the same source.</param>
    /// <param name="seed">The seed of the account's hashes.</param>
    internal static AccountMappings? Create(IReadOnlyList<SubjectMapping> mappings, ulong seed)
        => mappings.Count == 0 ? null : new AccountMappings(mappings, seed);

    /// <summary>Finds the mapping of a published subject. Returns null if no mapping applies.</summary>
    internal SubjectMapping? Find(ReadOnlySpan<byte> subject)
    {
        // Reply subjects that the server created for requests of other accounts are never mapped.
        if (ReservedSubjects.ContainsReply(subject) || !Subject.HasNoEmptyToken(subject))
        {
            return null;
        }

        if (_bySubject.TryGetValue(subject, out SubjectMapping? exact))
        {
            return exact;
        }

        foreach (SubjectMapping mapping in _wildcards)
        {
            if (Subject.Matches(mapping.Filter, subject))
            {
                return mapping;
            }
        }

        return null;
    }
}
