namespace Broker.Cli.Shell;

/// <summary>The format in which messages are printed.</summary>
internal enum OutputForm
{
    /// <summary>One line of text for each message. Characters that could control the terminal are escaped.</summary>
    Text,

    /// <summary>One JSON object on one line for each message.</summary>
    Json,

    /// <summary>Only the bodies, without escapes, each followed by a line end.</summary>
    Raw,

    /// <summary>Like <see cref="Text"/>, but the bodies are in hexadecimal digits.</summary>
    Hex,
}
