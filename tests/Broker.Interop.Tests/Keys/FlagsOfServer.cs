namespace Broker.Interop.Tests.Keys;

/// <summary>
/// The flags of nats-server, from the help of the two versions. Words in capital letters are replaced: CERT and KEY by
/// the files of a certificate, FOLDER by a folder, FILE by a file in it.
/// </summary>
internal static class FlagsOfServer
{
    private const string Section = "flags";

    // nats-server 2.15.1 refuses an empty file.
    private const string File = "debug: false\n";

    private static readonly string[] Checked =
    [
        "-a 127.0.0.1", "--addr 127.0.0.1", "--net 127.0.0.1", "-p 4333", "--port 4333", "-n x", "--name x", "--server_name x",
        "-P FILE", "--pid FILE", "-m 8333", "--http_port 8333", "-ms 8333 --tls --tlscert CERT --tlskey KEY",
        "--https_port 8333 --tls --tlscert CERT --tlskey KEY", "--client_advertise a:1", "--ports_file_dir FOLDER",
        "-l FILE", "--log FILE", "-T", "--logtime", "-T=false", "--logtime_utc", "-s", "--syslog", "-r udp://127.0.0.1:514",
        "--remote_syslog udp://127.0.0.1:514", "-D", "--debug", "-V", "--trace", "-VV", "-DV", "-DVV",
        "--log_size_limit 1000000", "--max_traced_msg_len 10", "-js", "--jetstream", "-sd FOLDER", "--store_dir FOLDER",
        "--user a --pass b", "--auth t", "--tls --tlscert CERT --tlskey KEY", "--tlsverify --tlscert CERT --tlskey KEY",
        "--tlsverify --tlscacert CERT --tlscert CERT --tlskey KEY", "--routes nats://127.0.0.1:6333",
        "--cluster nats://127.0.0.1:6333", "--cluster_listen nats://127.0.0.1:6333", "--cluster_name x", "--no_advertise",
        "--cluster_advertise a:1", "--connect_retries 3", "--profile 6060",
    ];

    private static readonly string[] Commands =
    [
        "-sl reload=2147483647", "--signal reload=2147483647", "-h", "--help", "-v", "--version", "--help_tls",
    ];

    public static IEnumerable<Setting> All =>
    [
        .. Checked.Select(static text => new Setting(Section, text, File, text.Split(' '))),
        new Setting(Section, "-t", File),
        new Setting(Section, "-c FILE", File) { Flags = ["-c", "CONFIG"] },
        new Setting(Section, "--config FILE", File) { Flags = ["--config", "CONFIG"] },
        .. Commands.Select(static text => new Setting(Section, text, File, text.Split(' ')) { IsCommand = true }),
    ];
}
