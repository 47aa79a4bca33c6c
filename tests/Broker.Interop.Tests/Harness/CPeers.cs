using System.Collections.Concurrent;

namespace Broker.Interop.Tests.Harness;

/// <summary>Peers in C that use a system library. They are compiled once per run.</summary>
internal abstract class CPeers(string library, string header, string package) : IPeers
{
    private static readonly ConcurrentDictionary<string, Lazy<Task<string>>> Compiled = new(StringComparer.Ordinal);
    private static readonly ConcurrentDictionary<string, Lazy<Task<bool>>> Headers = new(StringComparer.Ordinal);

    public string Name => package;

    public async Task<PeerProcess> StartAsync(string program, params IEnumerable<string> arguments)
    {
        string? gcc = Programs.Find("gcc");
        Missing.Unless(gcc is not null, "gcc");
        Missing.Unless(await Headers.GetOrAdd(header, _ => new(() => HasHeaderAsync(gcc!))).Value, package);
        string executable = await Compiled.GetOrAdd(program, _ => new(() => CompileAsync(gcc!, program))).Value;
        return PeerProcess.Start($"{library} {program}", executable, arguments);
    }

    private async Task<bool> HasHeaderAsync(string gcc)
        => (await Programs.RunAsync(gcc, $"#include <{header}>\n", "-fsyntax-only", "-xc", "-")).ExitCode == 0;

    private async Task<string> CompileAsync(string gcc, string program)
    {
        DirectoryInfo folder = Directory.CreateDirectory(Path.Combine(AppContext.BaseDirectory, "peers-c"));
        string executable = Path.Combine(folder.FullName, program);
        // A parallel run may start the file, so it gets its name only when it is complete.
        string made = $"{executable}.{Environment.ProcessId}";
        string source = Path.Combine(PeerSources.Folder, "c", program + ".c");
        (int exitCode, string? text) = await Programs.RunAsync(
            gcc, "", "-O1", "-Wall", "-D_GNU_SOURCE", "-o", made, source, "-l" + library);
        if (exitCode != 0)
        {
            throw new InvalidOperationException($"gcc cannot compile {source}:\n{text}");
        }

        File.Move(made, executable, overwrite: true);
        return executable;
    }
}
