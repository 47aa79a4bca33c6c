namespace Broker.Interop.Tests.Harness;

/// <summary>
/// The program that the tests start: the built <c>broker</c>, or the file that <c>BROKER_PROGRAM</c> names, such as a
/// shipped one.
/// </summary>
internal static class BrokerProgram
{
    /// <summary>The program, and the arguments before its own ones.</summary>
    internal static string[] Command { get; } = Environment.GetEnvironmentVariable("BROKER_PROGRAM") is { Length: > 0 } file
        ? [file]
        : [Host, Path.Combine(AppContext.BaseDirectory, "broker.dll")];

    // The dotnet host that runs the tests, unless they have an executable of their own.
    private static string Host
        => Environment.ProcessPath is { } host && Path.GetFileNameWithoutExtension(host) == "dotnet" ? host : "dotnet";
}
