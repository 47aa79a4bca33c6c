namespace Broker.Interop.Tests.Harness;

/// <summary>What the tests start as <c>broker</c>: what was built beside them, or the file that <c>BROKER_PROGRAM</c> names, such as one that ships.</summary>
internal static class BrokerProgram
{
    /// <summary>The program, and what comes before its own arguments.</summary>
    internal static string[] Command { get; } = Environment.GetEnvironmentVariable("BROKER_PROGRAM") is { Length: > 0 } file
        ? [file]
        : [Host, Path.Combine(AppContext.BaseDirectory, "broker.dll")];

    // That which runs the tests, where that is no program of theirs.
    private static string Host
        => Environment.ProcessPath is { } host && Path.GetFileNameWithoutExtension(host) == "dotnet" ? host : "dotnet";
}
