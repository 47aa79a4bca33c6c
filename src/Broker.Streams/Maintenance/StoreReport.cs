namespace Broker.Streams;

/// <summary>The result of the verification or the repair of an account's streams.</summary>
public sealed record StoreReport
{
    /// <summary>The name of the account.</summary>
    public required string Account { get; init; }

    /// <summary>The folder with the files of the account.</summary>
    public required string Folder { get; init; }

    /// <summary>The bytes that were read.</summary>
    public long BytesRead { get; init; }

    /// <summary>The number of whole records.</summary>
    public long Records { get; init; }

    /// <summary>The findings in the order of files and offsets.</summary>
    public IReadOnlyList<StoreFinding> Findings { get; init; } = [];

    /// <summary>The streams in the order of their names.</summary>
    public IReadOnlyList<StreamReport> Streams { get; init; } = [];

    /// <summary>Whether a broker would refuse streams of this account.</summary>
    public bool IsDamaged => Findings.Any(static finding => finding.Kind == StoreFindingKind.Damage);
}
