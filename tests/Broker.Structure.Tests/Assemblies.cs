using Mono.Cecil;

namespace Broker.Structure.Tests;

/// <summary>The assemblies that ship, as the compiler left them beside this test.</summary>
internal static class Assemblies
{
    internal const string Prefix = "Broker.";

    /// <summary>What each project may use, and nothing else of ours: dependencies point one way.</summary>
    internal static IReadOnlyDictionary<string, string[]> MayUse { get; } = new Dictionary<string, string[]>
    {
        ["Broker.Protocol"] = [],
        ["Broker.Transport"] = [],
        ["Broker.Server"] = ["Broker.Protocol", "Broker.Transport"],
        ["Broker.Client"] = ["Broker.Protocol", "Broker.Transport"],
        ["Broker.Client.Streams"] = ["Broker.Client", "Broker.Protocol", "Broker.Transport"],
        ["Broker.Streams"] = ["Broker.Server", "Broker.Protocol", "Broker.Transport"],
        ["Broker.ZeroMq"] = ["Broker.Transport"],
        ["Broker.NetMQ.Compatibility"] = ["Broker.Cryptography", "Broker.ZeroMq", "Broker.Transport"],
        ["Broker.Bridge"] = ["Broker.Client", "Broker.Client.Streams", "Broker.ZeroMq", "Broker.Protocol", "Broker.Transport"],
        ["Broker.Hosting"] = ["Broker.Server", "Broker.Streams", "Broker.Leaf", "Broker.Client", "Broker.Client.Streams", "Broker.Bridge", "Broker.ZeroMq", "Broker.Protocol", "Broker.Transport"],
        ["Broker.NetMQ"] = ["Broker.Bridge", "Broker.Client", "Broker.ZeroMq", "Broker.Transport"],
        ["Broker.Aspire"] = [],
        ["Broker.AspNetCore"] = ["Broker.Server", "Broker.Protocol", "Broker.Transport"],
        ["Broker.Testing"] = ["Broker.Server", "Broker.Streams", "Broker.Client", "Broker.Protocol", "Broker.Transport"],
        ["Broker.Cryptography"] = ["Broker.Server", "Broker.Transport", "Broker.ZeroMq", "Broker.Protocol"],
        ["Broker.Leaf"] = ["Broker.Server", "Broker.Transport", "Broker.Protocol"],
        ["Broker.Cli"] =
        [
            "Broker.Protocol", "Broker.Transport", "Broker.Server", "Broker.Client", "Broker.Client.Streams", "Broker.ZeroMq", "Broker.Bridge",
            "Broker.Hosting", "Broker.AspNetCore", "Broker.Cryptography", "Broker.Leaf", "Broker.Streams",
        ],
    };

    internal static TheoryData<string> Names => [.. MayUse.Keys];

    /// <summary>Those that other people's programs refer to.</summary>
    internal static TheoryData<string> Libraries => [.. MayUse.Keys.Where(IsPackage)];

    /// <summary>A library that other programs can refer to.</summary>
    internal static bool IsPackage(string name) => name is not "Broker.Cli";

    internal static AssemblyDefinition Read(string name)
    {
        string file = Directory.EnumerateFiles(AppContext.BaseDirectory, "*.dll").First(f => IsAssembly(f, name));
        return AssemblyDefinition.ReadAssembly(file);
    }

    // The command's file bears its own name.
    private static bool IsAssembly(string file, string name)
        => Path.GetFileNameWithoutExtension(file) == name || (name == "Broker.Cli" && Path.GetFileName(file) == "broker.dll");
}
