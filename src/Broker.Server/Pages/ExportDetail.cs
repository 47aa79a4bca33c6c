namespace Broker.Server;

/// <summary>One export in <see cref="AccountDetail"/>.</summary>
internal sealed record ExportDetail
{
    public required string Subject { get; init; }

    public required string Type { get; init; }

    public IEnumerable<string>? ApprovedAccounts { get; init; }

    public string? ResponseType { get; init; }

    internal static ExportDetail From(AccountExport export) => new()
    {
        Subject = export.Subject,
        Type = export is ServiceExport ? "service" : "stream",
        ApprovedAccounts = export.Accounts,
        ResponseType = export is not ServiceExport service ? null : service.Response switch
        {
            ServiceResponse.Stream => "Streamed",
            ServiceResponse.Chunked => "Chunked",
            _ => "Singleton",
        },
    };
}
