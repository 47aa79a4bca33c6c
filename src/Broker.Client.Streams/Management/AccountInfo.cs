namespace Broker.Client.Streams;

/// <summary>The resources that an account uses, and its limits.</summary>
public sealed record AccountInfo
{
    /// <summary>The size of all messages in memory, in bytes.</summary>
    public ulong Memory { get; set; }

    /// <summary>The size of all messages in files, in bytes.</summary>
    public ulong Storage { get; set; }

    /// <summary>The number of streams.</summary>
    public long Streams { get; set; }

    /// <summary>The number of consumers.</summary>
    public long Consumers { get; set; }

    /// <summary>The domain. Null for none.</summary>
    public string? Domain { get; set; }

    /// <summary>The limits.</summary>
    public AccountLimits Limits { get; set; } = new();

    /// <summary>The requests to the API.</summary>
    public AccountApiUse Api { get; set; } = new();
}
