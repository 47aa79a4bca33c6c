namespace Broker.Cli.Servers;

/// <summary>The result of a check. The values are the exit codes of Nagios's plugins.</summary>
internal enum CheckStatus
{
    Ok = 0,
    Warning = 1,
    Critical = 2,

    /// <summary>The check could not be made, for example because the command line is invalid.</summary>
    Unknown = 3,
}
