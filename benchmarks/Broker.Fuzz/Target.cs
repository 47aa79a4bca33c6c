namespace Broker.Fuzz;

/// <summary>A parser that is fuzzed. It must not throw, whatever its input is.</summary>
/// <param name="Name">The name on the command line.</param>
/// <param name="Parse">Parses an input. The first argument is the largest number of octets in a read.</param>
/// <param name="Seeds">The first inputs, without the octet that selects the size of reads.</param>
internal sealed record Target(string Name, Action<int, byte[]> Parse, IReadOnlyList<byte[]> Seeds)
{
    private const int MostInput = 64 * 1024;

    /// <summary>All targets.</summary>
    public static IReadOnlyList<Target> All { get; } =
    [
        new("zmtp", ZmtpTargets.ParseStream, ZmtpTargets.StreamSeeds),
        new("zmtp-handshake", ZmtpTargets.ParseHandshake, ZmtpTargets.HandshakeSeeds),
        new("nats-client", NatsTargets.ParseClient, NatsTargets.ClientSeeds),
        new("nats-server", NatsTargets.ParseServer, NatsTargets.ServerSeeds),
        new("nats-leaf", LeafTargets.Parse, LeafTargets.Seeds),
        new("nats-headers", NatsTargets.ParseHeaders, NatsTargets.HeaderSeeds),
    ];

    /// <summary>Parses one input. Its first octet is the largest number of octets in a read.</summary>
    public void Run(Stream stream)
    {
        byte[] input = new byte[MostInput];
        int length = stream.ReadAtLeast(input, input.Length, throwOnEndOfStream: false);
        if (length > 0)
        {
            Parse(Math.Max(1, (int)input[0]), input[1..length]);
        }
    }

    /// <summary>Writes the first inputs into a folder, with reads of one octet and of many.</summary>
    public void WriteSeeds(string folder)
    {
        Directory.CreateDirectory(folder);
        for (int i = 0; i < Seeds.Count; i++)
        {
            File.WriteAllBytes(Path.Combine(folder, $"{i}-small"), [1, .. Seeds[i]]);
            File.WriteAllBytes(Path.Combine(folder, $"{i}-large"), [255, .. Seeds[i]]);
        }
    }
}
