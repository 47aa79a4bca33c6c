namespace Broker.Client.Streams;

/// <summary>The requests that an account has sent to the API.</summary>
public sealed record AccountApiUse
{
    /// <summary>The number of requests.</summary>
    public ulong Total { get; set; }

    /// <summary>The number of requests that were refused.</summary>
    public ulong Errors { get; set; }
}
