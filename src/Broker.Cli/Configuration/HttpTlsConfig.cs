using Broker.Cli.Serving;

namespace Broker.Cli.Configuration;

/// <summary>
/// A <c>tls</c> block of an HTTP listener, as nats-server has it. The files are looked at here, so that <c>-t</c> finds what is wrong with them.
/// </summary>
internal sealed class HttpTlsConfig(List<ConfigProblem> problems)
{
    /// <summary>Null when there is none, or none that can be used.</summary>
    public TlsFiles? Read(ConfigSection owner)
    {
        switch (owner.Find("tls"))
        {
            case null:
                return null;
            case ConfigBlock block:
                return Read(new ConfigSection(block, problems), block);
            case var value:
                return owner.Wrong<TlsFiles?>("tls", "a block", value, null);
        }
    }

    private TlsFiles? Read(ConfigSection section, ConfigBlock block)
    {
        var before = problems.Count;
        var certificate = section.Text("cert_file", null);
        var key = section.Text("key_file", null);
        var authority = section.Text("ca_file", null);
        var verify = section.Flag("verify", false);
        section.RejectTheRest();
        if (problems.Count > before)
            return null;
        if (certificate is null || key is null)
            return Problem(block, $"\"{(certificate is null ? "cert_file" : "key_file")}\" is missing in \"tls\"");
        var files = new TlsFiles(certificate, key, authority, verify);
        try
        {
            files.Load();
            return files;
        }
        catch (TlsFileException e)
        {
            return Problem(block, e.Message);
        }
    }

    private TlsFiles? Problem(ConfigBlock block, string message)
    {
        problems.Add(new ConfigProblem(message, block.Position));
        return null;
    }
}
