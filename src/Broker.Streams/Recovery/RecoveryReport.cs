namespace Broker.Streams;

/// <summary>The findings of a start. All of them belong into the log.</summary>
internal sealed class RecoveryReport
{
    /// <summary>The bytes behind the last whole record, which an unfinished write has left.</summary>
    internal long CutBytes { get; set; }

    /// <summary>The file of these bytes.</summary>
    internal string? CutFile { get; set; }

    /// <summary>Damage, with the names of the streams that are refused because of it.</summary>
    internal List<string> Damage { get; } = [];

    /// <summary>
    /// True if it is not known whose records are damaged. All streams are refused, and none can be created.
    /// </summary>
    internal bool HasUnknownDamage { get; set; }

    /// <summary>Damage without consequences, such as an index that was made again.</summary>
    internal List<string> Notices { get; } = [];

    internal bool IsClean => CutBytes == 0 && Damage.Count == 0 && Notices.Count == 0;
}
