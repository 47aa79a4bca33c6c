namespace Broker.Cli.Settings;

/// <summary>Error texts for users who do not know the code.</summary>
internal static class ErrorText
{
    /// <summary>
    /// Returns the text without what an <see cref="ArgumentException"/> appends to it: the name of a parameter.
    /// </summary>
    public static string WithoutParameter(string message) => message.Split(" (Parameter ")[0];
}
