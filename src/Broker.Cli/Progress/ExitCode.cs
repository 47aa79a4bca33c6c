namespace Broker.Cli.Progress;

/// <summary>The exit codes of the command.</summary>
internal static class ExitCode
{
    public const int Success = 0;

    /// <summary>
    /// The command could not start or continue, for example because of an address, a server, a file or a permission.
    /// </summary>
    public const int Failure = 1;

    /// <summary>The command line is invalid.</summary>
    public const int Usage = 2;

    /// <summary>The command ended, but accepted messages were not delivered.</summary>
    public const int Undelivered = 3;

    /// <summary>No reply or no message arrived in time.</summary>
    public const int NothingCame = 4;

    /// <summary>Stored messages are damaged or missing.</summary>
    public const int Damaged = 5;

    /// <summary>Ctrl+C ended the command early. The value is 128 + SIGINT, as in shells.</summary>
    public const int Interrupted = 130;
}
