namespace Broker.Cli.Tracing;

/// <summary>Knows accounts and receivers: from a configuration file, or from the pages of a running server.</summary>
internal interface ITraceSource
{
    /// <summary>All accounts.</summary>
    IReadOnlyList<TracedAccount> Accounts { get; }

    /// <summary>The facts that this source does not know, one sentence each.</summary>
    IReadOnlyList<string> Unknown { get; }

    /// <summary>Returns the account of a user, or null if the source does not know the user.</summary>
    Task<string?> FindAccountAsync(string user, CancellationToken stop);

    /// <summary>Returns why the user may not publish to the subject; null if it may, or if that is not known.</summary>
    string? WhyNotPublish(string account, string user, string subject);

    /// <summary>Returns the receivers in an account, also those that do not get the message.</summary>
    Task<IReadOnlyList<TraceReceiver>> FindReceiversAsync(string account, string subject, CancellationToken stop);
}
