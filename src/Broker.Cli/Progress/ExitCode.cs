namespace Broker.Cli.Progress;

/// <summary>What the command answers the shell.</summary>
internal static class ExitCode
{
    public const int Success = 0;

    /// <summary>It could not start or go on: an address, a server, a file, a permission.</summary>
    public const int Failure = 1;

    /// <summary>The command line is wrong.</summary>
    public const int Usage = 2;

    /// <summary>It stopped with messages that were accepted but not delivered.</summary>
    public const int Undelivered = 3;

    /// <summary>Nobody answered, or what was waited for did not come in time.</summary>
    public const int NothingCame = 4;

    /// <summary>Ctrl+C ended it before it was done; 128 + SIGINT, as shells report it.</summary>
    public const int Interrupted = 130;
}
