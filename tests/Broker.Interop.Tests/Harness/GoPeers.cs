namespace Broker.Interop.Tests.Harness;

/// <summary>Peers in Go that use Debian's package of the reference client. They are compiled once per run.</summary>
internal sealed class GoPeers : INatsPeers
{
    // Debian's Go libraries are sources in a separate GOPATH, so nothing is downloaded.
    private const string GoPath = "/usr/share/gocode";

    private static readonly Lazy<Task<string>> Session = new(static () => CompileAsync("nats_session"));
    private static readonly Lazy<Task<string>> JwtCheck = new(static () => CompileAsync("jwt_check"));

    public string Name => "golang-github-nats-io-go-nats-dev";

    public async Task<PeerProcess> StartAsync(string program, params IEnumerable<string> arguments)
    {
        Missing.Unless(Programs.Find("go") is not null, "go");
        Missing.Unless(Directory.Exists(Path.Combine(GoPath, "src/github.com/nats-io/nats.go")), Name);
        bool isJwt = program == "jwt_check";
        Missing.Unless(!isJwt || Directory.Exists(Path.Combine(GoPath, "src/github.com/nats-io/jwt/v2")), "golang-github-nats-io-jwt-dev");
        return PeerProcess.Start($"nats.go {program}", await (isJwt ? JwtCheck : Session).Value, arguments);
    }

    private static async Task<string> CompileAsync(string program)
    {
        DirectoryInfo folder = Directory.CreateDirectory(Path.Combine(AppContext.BaseDirectory, "peers-go"));
        string executable = Path.Combine(folder.FullName, program);
        // A parallel run may start the file, so it gets its name only when it is complete.
        string made = $"{executable}.{Environment.ProcessId}";
        string source = Path.Combine(PeerSources.Folder, "go", program + ".go");
        (int exitCode, string? text) = await Programs.RunAsync(
            "env", "", "GO111MODULE=off", $"GOPATH={GoPath}", $"GOCACHE={Path.Combine(folder.FullName, "cache")}",
            Programs.Find("go")!, "build", "-o", made, source);
        if (exitCode != 0)
        {
            throw new InvalidOperationException($"go cannot compile {source}:\n{text}");
        }

        File.Move(made, executable, overwrite: true);
        return executable;
    }
}
