namespace Broker.Cli.Shell;

/// <summary>How messages are shown.</summary>
internal enum OutputForm
{
    /// <summary>A line each, for a reader: what no terminal should be sent is escaped.</summary>
    Text,

    /// <summary>A JSON object each, on a line of its own.</summary>
    Json,

    /// <summary>The bodies as they are, each with a line end behind it.</summary>
    Raw,

    /// <summary>As text, with the bytes in hexadecimal digits.</summary>
    Hex,
}
